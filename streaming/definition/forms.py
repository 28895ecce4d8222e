"""Data for the browser's forms of nodes, windows and aggregates; run `python -m streaming.definition.forms`.

Writes `frontend/src/generated/nodeForms.ts`: the fields of each model of `graph`, in order, with their
role, so that the browser needs no list of its own.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.graph import Aggregate, Column, Node
from streaming.definition.names import DurationText, Name, ZoneName
from streaming.definition.strict import ExpressionText
from streaming.definition.windows import WindowSpec

FILE: Final = Path("frontend/src/generated/nodeForms.ts")
FieldRole = Literal[
    "stream", "node", "nodes", "name", "fields", "expression", "duration", "number", "fraction", "flag", "choice",
    "window", "columns", "aggregates", "function", "groups", "lists", "text", "orders", "subsets", "pattern",
    "after_match",
]  # fmt: skip
"""The content of a field: `node` is the id of a node that is read, `fields` are names of fields of the input rows."""

_TYPED: Final[tuple[tuple[Any, FieldRole], ...]] = (
    (Name, "name"),
    (ExpressionText, "expression"),
    (ZoneName, "text"),
    (DurationText, "duration"),
    (get_args(DurationText)[0], "duration"),
    (bool, "flag"),
)
"""Roles by the type of a field."""
_NAMED: Final[Mapping[tuple[str, str], FieldRole]] = {
    ("clip", "by"): "node",
    ("analytic", "columns"): "lists",
    ("", "stream"): "stream",
    ("", "input"): "node",
    ("", "left"): "node",
    ("", "right"): "node",
    ("", "inputs"): "nodes",
    ("", "keys"): "fields",
    ("", "group_by"): "fields",
    ("", "columns"): "columns",
    ("", "define"): "columns",
    ("", "measures"): "columns",
    ("", "order_by"): "orders",
    ("", "subsets"): "subsets",
    ("", "pattern"): "pattern",
    ("", "after_match"): "after_match",
    ("", "aggregates"): "aggregates",
    ("", "function"): "function",
    ("", "empty_groups"): "groups",
    ("", "window"): "window",
    ("", "fraction"): "fraction",
    ("", "name"): "name",
}
"""Roles that the type of a field does not determine, by kind ("": any) and field."""


def node_forms() -> str:
    """Return the content of `frontend/src/generated/nodeForms.ts`."""
    aggregates = [
        {
            "name": each.name,
            "signature": each.signature,
            "help": each.help,
            "parameter": each.parameter,
            "bare": each.bare,
        }
        for each in AGGREGATES.values()
    ]
    return (
        "/** Written by `python -m streaming.definition.forms`; do not edit. */\n\n"
        f"export type FieldRole = {' | '.join(json.dumps(each) for each in get_args(FieldRole))};\n\n"
        "/** A field of a node; `initial` is its default; null where a value is required. */\n"
        "export interface NodeField {\n  name: string;\n  role: FieldRole;\n  required: boolean;\n"
        "  nullable: boolean;\n  initial: unknown;\n  choices: readonly string[];\n}\n\n"
        "export interface KindForm {\n  help: string;\n  fields: readonly NodeField[];\n}\n\n"
        "export interface AggregateForm {\n  name: string;\n  signature: string;\n  help: string;\n"
        '  parameter: "k" | "fraction" | null;\n  bare: boolean;\n}\n\n'
        f"{_constant('NODE_FORMS', 'KindForm', _forms(_members(Node)))}\n"
        f"{_constant('WINDOW_FORMS', 'KindForm', _forms(_members(WindowSpec)))}\n"
        f"{_listed('AGGREGATE_FIELDS', 'NodeField', _fields('aggregate', Aggregate))}\n"
        f"{_listed('COLUMN_FIELDS', 'NodeField', _fields('column', Column))}\n"
        f"{_listed('AGGREGATE_FORMS', 'AggregateForm', aggregates)}"
    )


def _members(union: Any) -> tuple[type[BaseModel], ...]:
    return get_args(get_args(union)[0])


def _forms(models: Iterable[type[BaseModel]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for model in models:
        (kind,) = get_args(model.model_fields["kind"].annotation)
        found[kind] = {"help": _plain(model.__doc__ or ""), "fields": _fields(kind, model)}
    return found


def _plain(text: str) -> str:
    """Return a docstring as running text: join the lines, keep the paragraphs."""
    paragraphs = text.strip().split("\n\n")
    return "\n".join(" ".join(line.strip() for line in each.splitlines()) for each in paragraphs)


def _fields(kind: str, model: type[BaseModel]) -> list[dict[str, Any]]:
    hints = get_type_hints(model, include_extras=True)
    return [_field(kind, name, hints[name], model) for name in model.model_fields if name not in ("id", "kind")]


def _field(kind: str, name: str, hint: Any, model: type[BaseModel]) -> dict[str, Any]:
    bare, nullable = _without_none(hint)
    info = model.model_fields[name]
    role = _NAMED.get((kind, name)) or _NAMED.get(("", name)) or _role(bare)
    initial = info.get_default(call_default_factory=True)
    return {
        "name": name,
        "role": role,
        "required": info.is_required(),
        "nullable": nullable,
        "initial": None if initial is PydanticUndefined else initial,
        "choices": list(get_args(bare)) if role == "choice" else [],
    }


def _without_none(hint: Any) -> tuple[Any, bool]:
    """Return X and True for `X | None`, else the unchanged hint and False."""
    if get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint):
        rest = [each for each in get_args(hint) if each is not NoneType]
        return (rest[0] if len(rest) == 1 else Union[tuple(rest)]), True  # noqa: UP007 # of a list of types
    return hint, False


def _role(hint: Any) -> FieldRole:
    """Return the role for the type of a field. Raises `TypeError` for a type without a form field."""
    if (typed := next((role for of, role in _TYPED if hint == of), None)) is not None:
        return typed
    if get_origin(hint) is Literal:
        return "choice"
    if get_origin(hint) is Annotated and int in get_args(hint):
        return "number"
    raise TypeError(f"a form has no field for {hint}; give it a role here and an input in features/designer/inspector")


def _constant(name: str, of: str, value: Mapping[str, Any]) -> str:
    return f"export const {name}: Readonly<Record<string, {of}>> = {json.dumps(value, indent=2)};\n"


def _listed(name: str, of: str, value: Iterable[Any]) -> str:
    return f"export const {name}: readonly {of}[] = {json.dumps(list(value), indent=2)};\n"


if __name__ == "__main__":
    FILE.write_text(node_forms(), encoding="utf-8")
