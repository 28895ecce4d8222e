"""The filter of rows by key: fields of the payload with their values as text."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import Array, Boolean, Double, Long, String, Struct, Type
from webapp.monitoring.exporting.columns import exact_values

Key = Mapping[str, str | None]
"""Fields with their values as text; None: null."""
_BOOLEANS: Final = {"true": True, "false": False}


class KeyProblem(Exception):
    """The key cannot be read: the sentence, and what to do."""

    def __init__(self, message: str, remedy: str) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy


def key_of(texts: Sequence[str]) -> dict[str, str | None]:
    """Return the key of parameters `FIELD:VALUE`; `FIELD` alone is null. Raises `KeyProblem`."""
    key: dict[str, str | None] = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if name in key:
            raise KeyProblem(f"The key has the field {name[:80]!r} twice.", "Pass each field once.")
        key[name] = value if colon else None
    return key


class KeyFilter:
    """Decides whether a row has the key. Raises `KeyProblem` if the output cannot have it."""

    def __init__(self, key: Key, types: Mapping[str, str]) -> None:
        """Take the types of the output's fields, from the newest version."""
        fields = parse_fields(dict(types))
        missing = sorted(key.keys() - fields.keys())
        if missing:
            listed = ", ".join(fields) or "none"
            raise KeyProblem(f"This output has no field {missing[0][:80]!r}.", f"Use one of its fields: {listed}.")
        self._wanted = [(name, fields[name], _value(name, text, fields[name])) for name, text in key.items()]

    def __bool__(self) -> bool:
        """Return whether it can refuse a row."""
        return bool(self._wanted)

    def matches(self, payload: Mapping[str, Any]) -> bool:
        """Return whether a payload, as results store it, has the key."""
        return all(_equals(payload.get(name), of, value) for name, of, value in self._wanted)


def _value(name: str, text: str | None, of: Type) -> Any:
    if isinstance(of, Array | Struct):
        raise KeyProblem(
            f"The field {name} has the type {of}, which can't be in a key.", "Use fields with single values."
        )
    if text is None:
        return None
    try:
        reader = _READERS.get(type(of))
        value = exact_values([text], of)[0] if reader is None else reader(text)
        if isinstance(value, Decimal) and not value.is_finite():
            raise ValueError
        return value
    except (ValueError, TypeError, ArithmeticError, LookupError):
        raise KeyProblem(
            f"{text[:80]!r} isn't a value of the field {name}, which has the type {of}.",
            "Write the value as results show it.",
        ) from None


_READERS: Final[Mapping[type[Type], Callable[[str], Any]]] = {
    Long: int,
    Double: float,
    String: str,
    Boolean: _BOOLEANS.__getitem__,
}


def _equals(stored: Any, of: Type, wanted: Any) -> bool:
    if stored is None or wanted is None:
        return stored is None and wanted is None
    try:
        [value] = exact_values([stored], of)
    except (ValueError, TypeError, ArithmeticError, LookupError):
        return False  # a row of a version in which the field had another type
    return type(value) is type(wanted) and bool(value == wanted)
