"""Secret options of adapters: written, never shown, and stored sealed (`streaming/wire/sealed.py`)."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final

from pydantic import BaseModel, Field, SecretStr

MOST_CHARACTERS: Final = 4_096

SecretText = Annotated[SecretStr, Field(min_length=1, max_length=MOST_CHARACTERS)]
"""The type of a secret option, of 1 to 4096 characters: `token: SecretText | None = None`.

Its `str` and `repr` are asterisks, `get_secret_value()` returns the text. Its JSON Schema has `writeOnly` and
`format: password`: forms then show a password field, and `secret_names` recognises the option.
"""


def secret_names(model: type[BaseModel]) -> frozenset[str]:
    """Return the secret options of `model`: those whose JSON Schema has `writeOnly`.

    Raises `TypeError` for a secret inside a list or another model instead of an option of its own: it would be stored
    unsealed.
    """
    schema = model.model_json_schema()
    properties: Mapping[str, Any] = schema.get("properties", {})
    found = frozenset(name for name, each in properties.items() if _is_secret(each))
    inside = {name: each for name, each in properties.items() if name not in found}
    if any(each.get("writeOnly") for each in _objects([inside, schema.get("$defs", {})])):
        raise TypeError(f"{model.__name__} has a secret inside another option; make it an option of its own.")
    return found


def _is_secret(option: Mapping[str, Any]) -> bool:
    """Return True if the schema of an option is that of a secret, or of an optional secret."""
    return any(each.get("writeOnly") is True for each in (option, *option.get("anyOf", ())))


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object inside `value`."""
    if isinstance(value, Mapping):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _objects(each)
