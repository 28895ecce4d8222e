"""The thresholds in force: the built-in ones, those of the organisation, those of a binding."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any
from uuid import UUID

from webapp.alerts.models import AlertRule
from webapp.alerts.rules.evaluation import Threshold, Thresholds
from webapp.alerts.rules.table import Rule


class RuleSettings:
    """The settings of all rules of the organisation in context, read once."""

    def __init__(self, rows: Iterable[AlertRule] | None = None) -> None:
        found = AlertRule.objects.all() if rows is None else rows
        self._rows = {(row.rule, row.binding_id): row for row in found}
        self._of_all: dict[str, dict[Rule, Thresholds]] = {}
        self._own = {binding for _, binding in self._rows if binding is not None}

    def row(self, rule: str, binding: UUID | None) -> AlertRule | None:
        """Return the stored settings in force for `binding`: its own, else those of the organisation."""
        return self._rows.get((rule, binding)) or self._rows.get((rule, None))

    def in_force(self, rules: Iterable[Rule], binding: UUID | None, group: str = "") -> Mapping[Rule, Thresholds]:
        """Return the thresholds of those of `rules` that are on for `binding`.

        `group` names the set of `rules`, so that it is resolved once for all bindings without settings of their own.
        """
        if not group or binding in self._own:
            return self._resolve(rules, binding)
        if group not in self._of_all:
            self._of_all[group] = self._resolve(rules, None)
        return self._of_all[group]

    def _resolve(self, rules: Iterable[Rule], binding: UUID | None) -> dict[Rule, Thresholds]:
        found = {}
        for rule in rules:
            row = self.row(rule.name, binding)
            if row is None or row.enabled:
                found[rule] = thresholds_of(rule, row)
        return found


def thresholds_of(rule: Rule, row: AlertRule | None) -> Thresholds:
    """Return the thresholds of `rule` with the stored settings `row`."""
    if row is None:
        return rule.thresholds
    return Thresholds(_level(row.warn, rule.thresholds.warn), _level(row.page, rule.thresholds.page))


def _level(stored: Any, built_in: Threshold | None) -> Threshold | None:
    if stored is None:
        return built_in
    return Threshold(**stored) if stored else None


def stored(threshold: Threshold | None) -> dict[str, Any]:
    """Return a chosen threshold as it is stored; `{}` for none."""
    return {} if threshold is None else asdict(threshold)
