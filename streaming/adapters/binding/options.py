"""Options of the `binding` adapter."""

from typing import Annotated, Final

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from streaming.definition.plain_names import NAME_PATTERN
from streaming.definition.strict import Strict

KIND_NAME: Final = "binding"
BINDING_ID: Final = r"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"


class BindingOptions(Strict):
    """The results that one of your bindings emits at an output of its query, with its CTIs, as they are committed."""

    binding: Annotated[
        str,
        Field(
            pattern=BINDING_ID,
            title="Binding",
            description="The id of a binding of this organisation, as shown on its page. It survives renaming.",
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
    """Set at launch: the name of the mark that keeps unread results from being deleted."""
