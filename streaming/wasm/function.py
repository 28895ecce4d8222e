"""A function of a module, as an expression calls it."""

from dataclasses import dataclass
from typing import Any, Final

from streaming.definition.expressions.tree import MODULE_CALL_WITH_NULLS, Call, Expression, Literal
from streaming.definition.own_functions.modules import uses_memory
from streaming.definition.payload.types import Type

LITERALS: Final = 4
"""The literals before the arguments of a call: hash, export, type of the result, fuel."""
MOST_FUEL_AT_ONCE: Final = 20_000_000_000
"""The instructions that the calls for the rows of one chunk may execute together: about 10 to 60 seconds."""
TOO_MUCH_FUEL: Final = (
    f"Calls of {{export}} in WebAssembly executed more than {MOST_FUEL_AT_ONCE:,} instructions for the rows of one "
    "batch. Make the function faster, give it less fuel, or read fewer rows in a batch."
)


class BadModule(ValueError):
    """Bytes that can't be a module of a function; `message` says why, `remedy` what to do."""

    def __init__(self, message: str, remedy: str = "") -> None:  # Polars passes on a copy with the text alone
        super().__init__(f"{message} {remedy}")
        self.message = message
        self.remedy = remedy


class FunctionFailed(ArithmeticError):
    """A call failed, so its result is null (T61); the message says why."""


class TooMuchFuel(RuntimeError):
    """The calls for the rows of one chunk executed too many instructions, so the run fails; the message says so."""


@dataclass(frozen=True, slots=True)
class WasmFunction:
    """The function `export` of the module with the hash `module`, with the types of its arguments and its result.

    `fuel`: the instructions that a call may execute. Without `null_arguments`, it is never called with a null.
    """

    module: str
    export: str
    arguments: tuple[Type, ...]
    returns: Type
    fuel: int
    null_arguments: bool = False

    @property
    def is_scalar(self) -> bool:
        """Return whether no value passes through memory, and no argument may be null."""
        return not self.null_arguments and not uses_memory((*self.arguments, self.returns))


@dataclass
class FuelMeter:
    """Adds up the fuel of the calls for the rows of one chunk."""

    function: WasmFunction
    used: int = 0

    def use(self, fuel: int) -> None:
        """Add `fuel`. Raises `TooMuchFuel`."""
        self.used += fuel
        if self.used > MOST_FUEL_AT_ONCE:
            raise TooMuchFuel(TOO_MUCH_FUEL.format(export=self.function.export))


def function_of(node: Call) -> WasmFunction:
    """Return the function that `node`, one of MODULE_CALLS and typed, calls."""
    module, export, _, fuel = (_value(each) for each in node.arguments[:LITERALS])
    types = tuple(each.type for each in node.arguments[LITERALS:])
    return WasmFunction(module, export, types, node.type, fuel, node.function == MODULE_CALL_WITH_NULLS)


def _value(node: Expression) -> Any:
    if not isinstance(node, Literal):
        raise TypeError("a call of a module's function starts with literals")
    return node.value
