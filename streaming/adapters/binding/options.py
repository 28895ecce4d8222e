"""What a user sets for the `binding` adapter."""

from typing import Annotated, Final

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from streaming.definition.strict import Strict
from streaming.definition.tokens import NAME_PATTERN

KIND_NAME: Final = "binding"
BINDING_ID: Final = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


class BindingOptions(Strict):
    """The results that one of your bindings gives at an output of its query, with its CTIs, as they are committed."""

    binding: Annotated[
        str,
        Field(
            pattern=BINDING_ID,
            title="Binding",
            description="The id of a binding of this organisation; its page shows it, also after a new name.",
        ),
    ]
    output: Annotated[
        str,
        Field(
            pattern=NAME_PATTERN,
            title="Output",
            description="The name of an output of its query.",
        ),
    ]
    reader: SkipJsonSchema[Annotated[str, Field(pattern=r"^[A-Za-z0-9._-]{1,150}$")] | None] = None
    """Told at a launch: the name of the mark that keeps what is still to be read from being deleted."""
