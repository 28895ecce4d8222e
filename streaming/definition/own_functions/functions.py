"""Functions that a query brings along: macros (T59), and functions of stored modules in WebAssembly (T60)."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Discriminator, Field, Tag

from streaming.definition.expressions.tree import MODULE_CALL, MODULE_CALL_WITH_NULLS
from streaming.definition.names import Name, WholeNumber
from streaming.definition.own_functions.modules import EXPORT_NAME
from streaming.definition.payload.type_text import TypeName
from streaming.definition.strict import ExpressionText, Strict

MOST_ARGUMENTS: Final = 20
"""The largest number of arguments of a function."""
DEFAULT_FUEL: Final = 10_000_000
"""The instructions that a call may execute (T61)."""
MOST_FUEL: Final = 100_000_000
"""The largest number of instructions that a query may allow for a call."""


class FunctionArgument(Strict):
    """An argument of a function."""

    name: Name
    type: TypeName


Arguments = Annotated[list[FunctionArgument], Field(max_length=MOST_ARGUMENTS)]


class MacroFunction(Strict):
    """A function of the query: the expression `as` over its arguments, expanded where it is called (T59)."""

    model_config = ConfigDict(serialize_by_alias=True)

    name: Name
    arguments: Arguments = Field(default_factory=list)
    returns: TypeName
    body: ExpressionText = Field(alias="as")


class ModuleFunction(Strict):
    """A function of the query: `export` of the stored module with the SHA-256 hash `module`, in WebAssembly (T60).

    A call may execute `fuel` instructions. If an argument is null, the result is null without a call, unless the
    function takes `null_arguments`.
    """

    name: Name
    arguments: Arguments = Field(default_factory=list)
    returns: TypeName
    module: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    export: Annotated[str, Field(pattern=f"^{EXPORT_NAME.pattern}$")]
    fuel: Annotated[WholeNumber, Field(gt=0, le=MOST_FUEL)] = DEFAULT_FUEL
    null_arguments: bool = False

    @property
    def body(self) -> str:
        """Return the expression of a call over the arguments: calls are expanded to it, as those of a macro."""
        call = MODULE_CALL_WITH_NULLS if self.null_arguments else MODULE_CALL
        of = [f"'{self.module}'", f"'{self.export}'", f"'{self.returns}'", str(self.fuel)]
        return f"{call}({', '.join([*of, *(f'`{each.name}`' for each in self.arguments)])})"


def source_of(function: MacroFunction | ModuleFunction) -> str:
    """Return where the results of `function` come from, in words: its expression, or its module and export."""
    if isinstance(function, MacroFunction):
        return function.body
    return f"{function.export} of the module {function.module[:12]}…, fuel {function.fuel:,}" + (
        ", called on null input" if function.null_arguments else ""
    )


_EXPRESSION: Final = "(expression)"
_IN_MODULE: Final = "(module)"


def _kind(function: object) -> str:
    if isinstance(function, Mapping):
        return _IN_MODULE if "module" in function or "export" in function else _EXPRESSION
    return _IN_MODULE if isinstance(function, ModuleFunction) else _EXPRESSION


QueryFunction = Annotated[
    Annotated[MacroFunction, Tag(_EXPRESSION)] | Annotated[ModuleFunction, Tag(_IN_MODULE)], Discriminator(_kind)
]
"""A function of a query; one with a `module` is in WebAssembly."""


def read_function(raw: Any) -> MacroFunction | ModuleFunction:
    """Read one function. Raises `ValidationError`."""
    return ModuleFunction.model_validate(raw) if _kind(raw) == _IN_MODULE else MacroFunction.model_validate(raw)
