"""The base of every model that is read from user input, and the expressions in such models."""

import re
from typing import Annotated, Final

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_INTERNAL: Final = re.compile(r"\b__(?:module|module_with_nulls|widen)\b", re.ASCII | re.IGNORECASE)


def _written(text: str) -> str:
    """Refuse words that only the expansion of functions writes: they would call any stored module (T60)."""
    found = _INTERNAL.search(text)
    if found:
        raise ValueError(f"{found[0]!r} is reserved; choose another name")
    return text


ExpressionText = Annotated[str, Field(min_length=1, max_length=10_000), AfterValidator(_written)]
"""A scalar expression in the documented subset of Spark SQL; parsed and typed by `check`."""


class Strict(BaseModel):
    """A frozen model that refuses unknown keys, so that no user input is silently dropped.

    The text of a validation error does not contain the input, because it may be logged.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
