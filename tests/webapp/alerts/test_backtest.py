"""The law of backtests: replayed over what is stored, each rule gives exactly the transitions that live turns made."""

from typing import Any

import pytest

from tests.webapp.alerts.scripted import Scripted, lease_key
from webapp.alerts.api import alerts as api
from webapp.alerts.backtest_job import replay
from webapp.alerts.models import Transition, TurnCursor
from webapp.alerts.rules.table import OF_BINDINGS
from webapp.alerts.services.backtest import past_of
from webapp.runs.models import Binding

Made = tuple[int, str, str, str]


def stall(scripted: Scripted) -> None:
    """A run that waits to be restarted, then runs."""
    scripted.run(observed="requested", changed_at=scripted.clock())
    scripted.turns(20)
    scripted.run(observed="running", changed_at=scripted.clock())
    scripted.turns(35)


def lost_runner(scripted: Scripted) -> None:
    """A runner that is gone for two minutes; what its run did since then is not known."""
    scripted.connection.delete(lease_key(scripted))
    scripted.turns(12, alive=False)
    scripted.know_again()
    scripted.turns(36)


def loss(scripted: Scripted) -> None:
    scripted.minutes(2, dropped_late=200)
    scripted.minutes(12)


def silence_of_turns(scripted: Scripted) -> None:
    """A worker that makes no turn for three minutes, while the run loses rows."""
    scripted.report(1_000, malformed=900)
    scripted.clock.pass_by(180)
    scripted.lives()
    scripted.turns(20)


def quiet(scripted: Scripted) -> None:
    scripted.minutes(4)


TROUBLES = {each.__name__: each for each in (stall, lost_runner, loss, silence_of_turns, quiet)}


def sent(scripted: Scripted) -> list[Made]:
    with scripted.inside():
        rows = Transition.objects.filter(binding__isnull=False)
        return sorted((row.at, row.rule, row.after, row.level) for row in rows)


def replayed(scripted: Scripted) -> list[Made]:
    with scripted.inside():
        past = past_of(Binding.objects.get().pk, 0, 0)
    found: list[Made] = []
    for rule in OF_BINDINGS:
        transitions = replay(rule.name, rule.thresholds, past).transitions
        found += [
            (each.at, rule.name, each.after.value, each.level.value if each.level else "") for each in transitions
        ]
    return sorted(found)


@pytest.mark.parametrize("trouble", TROUBLES)
def test_a_replay_gives_the_transitions_of_each_trouble(scripted: Scripted, trouble: str) -> None:
    scripted.minutes(3)
    TROUBLES[trouble](scripted)
    made = sent(scripted)
    assert bool(made) == (trouble not in {"quiet"})
    assert replayed(scripted) == made


def test_a_replay_gives_the_transitions_of_troubles_one_after_the_other(scripted: Scripted) -> None:
    for trouble in ("loss", "lost_runner", "stall", "silence_of_turns", "loss"):
        TROUBLES[trouble](scripted)
    made = sent(scripted)
    assert len({rule for _, rule, *_ in made}) >= 4
    assert replayed(scripted) == made


def test_the_api_replays_with_other_limits(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api.timezone, "now", scripted.clock)
    scripted.minutes(6)
    loss(scripted)
    asked: dict[str, Any] = {"rule": "rows_lost", "binding": scripted.scene.binding["id"], "days": 1}
    found = scripted.person.post("alerts/backtest/", asked).json()
    assert found["firings"] == 1
    assert [each["after"] for each in found["transitions"]] == ["firing", "resolved"]
    asked["thresholds"] = {"warn": {"at": 0.5, "rows": 10}, "page": None}
    found = scripted.person.post("alerts/backtest/", asked).json()
    assert (found["firings"], found["transitions"]) == (0, [])
    assert found["unknown_s"] == 0
    assert found["begin"] == scripted.born


def test_without_a_turn_nothing_is_known_of_the_past(scripted: Scripted) -> None:
    with scripted.inside():
        TurnCursor.objects.all().delete()
    asked = {"rule": "rows_lost", "binding": scripted.scene.binding["id"]}
    found = scripted.person.post("alerts/backtest/", asked).json()
    assert found["begin"] == found["end"]
    assert found["transitions"] == []
