"""Names that people type: one line, without invisible characters."""

from typing import Annotated, Final

from pydantic import AfterValidator

from streaming.definition.plain_names import hidden_character


def shown_as_typed(name: str) -> str:
    """Return `name`. Raises `ValueError` for control characters, line ends, and characters that turn the text."""
    hidden = hidden_character(name)
    if hidden is not None:
        raise ValueError(
            f"the character {hidden} is not allowed in a name: it is invisible, or changes the direction of text; "
            "remove it"
        )
    return name


AS_TYPED: Final = AfterValidator(shown_as_typed)
"""Must follow the constraints of a type: pydantic applies later constraints after the function."""
PlainName = Annotated[str, AS_TYPED]
"""A name that cannot pass for another by invisible characters."""
