"""Checks of the functions of a query against the stored modules that they name (T60)."""

from collections.abc import Iterator, Sequence

from streaming.definition.faults import Fault, FaultCode, error, nearest
from streaming.definition.own_functions.functions import ModuleFunction, QueryFunction
from streaming.definition.own_functions.modules import (
    ALLOCATE,
    ALLOCATION,
    MEMORY,
    ModuleDescription,
    ModuleExport,
    Modules,
    parameters_of,
    result_of,
    uses_memory,
)
from streaming.definition.payload.type_text import parse_type


def check_modules(functions: Sequence[QueryFunction], modules: Modules) -> Iterator[Fault]:
    """Yield the errors of `functions` against `modules`, those of the organisation.

    Any other module is unknown: so no query reaches the module of somebody else.
    """
    for index, function in enumerate(functions):
        if isinstance(function, ModuleFunction):
            yield from _check(function, modules(function.module), f"functions[{index}]")


def _check(function: ModuleFunction, module: ModuleDescription | None, path: str) -> Iterator[Fault]:
    if module is None:
        message = f"There is no module with the hash {function.module[:12]}…, which {function.name!r} names."
        remedy = "Upload the module, then write the hash that its upload returned."
        yield error(FaultCode.UNKNOWN_MODULE, message, remedy, field=f"{path}.module")
        return
    export = module.function(function.export)
    if export is None:
        names = [each.name for each in module.functions if each.name != ALLOCATE]
        message = f"The module of {function.name!r} has no function {function.export!r}."
        remedy = nearest(function.export, names, f"It exports {', '.join(names[:10]) or 'no functions'}.")
        yield error(FaultCode.UNKNOWN_EXPORT, message, remedy, field=f"{path}.export")
        return
    arguments = [parse_type(each.type) for each in function.arguments]
    returns = parse_type(function.returns)
    needed = ModuleExport(
        name=function.export,
        parameters=parameters_of(arguments, null_arguments=function.null_arguments),
        results=[result_of(returns)],
    )
    if export != needed:
        message = f"{function.export!r} is {_signature(export)}, but {function.name!r} needs {_signature(needed)}."
        remedy = "Change the types of the function, or the module."
        yield error(FaultCode.BAD_SIGNATURE, message, remedy, field=f"{path}.export")
    if uses_memory((*arguments, returns)) and not module.memory:
        message = f"{function.name!r} passes texts or arrays through memory, but its module exports none."
        yield error(FaultCode.UNKNOWN_EXPORT, message, f"Export its memory as {MEMORY!r}.", field=f"{path}.module")
    if uses_memory(arguments) and module.function(ALLOCATE) != ALLOCATION:
        needs = f"{ALLOCATE!r} {_signature(ALLOCATION)}"
        message = f"{function.name!r} takes texts or arrays, but its module exports no {needs}."
        remedy = f"Export a function {ALLOCATE!r} that returns the place of so many bytes in memory."
        yield error(FaultCode.UNKNOWN_EXPORT, message, remedy, field=f"{path}.module")


def _signature(export: ModuleExport) -> str:
    return f"({', '.join(export.parameters)}) -> ({', '.join(export.results)})"
