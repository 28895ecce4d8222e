"""The fields of a model as a Markdown table, from its pydantic schema."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from streaming.definition.plain_names import NAME_PATTERN

Schema = Mapping[str, Any]
_EXPRESSION_LENGTH: Final = 10_000
LEFT_OUT: Final = frozenset({"kind", "id"})
"""Fields that every node has, so no page lists them."""


def fields_table(model: type[BaseModel]) -> str:
    """Return a table with a line for each field: its name, its type, and its default, or "required"."""
    whole: Schema = model.model_json_schema()
    needed, defined = set(whole.get("required", ())), whole.get("$defs", {})
    lines = [
        f"| `{name}` | {words(schema, defined)} | {_default(name, schema, needed)} |"
        for name, schema in whole["properties"].items()
        if name not in LEFT_OUT
    ]
    if not lines:
        return "It has no other fields."
    return table(("field", "holds", "default"), lines)


def table(head: Sequence[str], lines: Sequence[str]) -> str:
    """Return a Markdown table of finished `lines`."""
    return "\n".join((f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *lines))


def _default(name: str, schema: Schema, needed: set[str]) -> str:
    if name in needed:
        return "required"
    default = schema.get("default", [] if schema.get("type") == "array" else None)
    if default is None:
        return "none"
    if isinstance(default, bool):
        return "true" if default else "false"
    return f"`{default}`" if default not in ([], {}) else "none"


def words(schema: Schema, defined: Schema) -> str:
    """Describe the values of `schema` in words; `defined` are the schemas that it may refer to."""
    if "anyOf" in schema:
        return _one_of(schema["anyOf"], defined)
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "discriminator" in schema:
        return "a window"
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return words(defined[name], defined) if "enum" in defined[name] else _with_article(_split_words(name))
    return _plain(schema, defined)


def _one_of(choices: Sequence[Schema], defined: Schema) -> str:
    kinds = {choice.get("type") for choice in choices}
    if {"integer", "string"} <= kinds and "boolean" not in kinds:
        counted = any("exclusiveMinimum" in choice for choice in choices)
        return "a whole number of events, or a duration" if counted else "a duration"
    return " or ".join(words(choice, defined) for choice in choices if choice.get("type") != "null")


def _split_words(name: str) -> str:
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name).strip()


def _plain(schema: Schema, defined: Schema) -> str:
    match schema["type"]:
        case "string":
            return _text(schema)
        case "array":
            return f"a list of {words(schema['items'], defined).partition(' ')[2]}s"
        case "boolean":
            return "true or false"
        case of:
            return f"{_WORDS[of]}{_bounds(schema)}"


_WORDS: Final = {"integer": "a whole number", "number": "a number", "object": "an object"}


def _text(schema: Schema) -> str:
    if schema.get("pattern") == NAME_PATTERN:
        return "a name"
    return "an expression" if schema.get("maxLength") == _EXPRESSION_LENGTH else "text"


def _with_article(name: str) -> str:
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _bounds(schema: Schema) -> str:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1 if "exclusiveMinimum" in schema else None)
    high = schema.get("maximum")
    if low is None or high is None:
        return ""
    return f", {low:,} to {high:,}"
