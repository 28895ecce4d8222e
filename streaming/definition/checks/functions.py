"""Checks of the functions of a query: names, types, and the expressions of macros (T59, T60)."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.checks.findings import expression_fault
from streaming.definition.expressions.functions import find_function
from streaming.definition.expressions.macros import Macros
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError
from streaming.definition.expressions.tree import MODULE_CALLS, WIDEN
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.faults import Fault, FaultCode, error
from streaming.definition.own_functions.functions import ModuleFunction, QueryFunction
from streaming.definition.payload.type_text import parse_type
from streaming.definition.payload.types import SCALARS, Array, Struct, widens
from streaming.definition.tokens import RESERVED


def check_functions(functions: Sequence[QueryFunction], unreadable: frozenset[str]) -> tuple[Macros, tuple[Fault, ...]]:
    """Return the functions for the expressions of nodes, and the errors in them; a broken one is reported only here."""
    macros = replace(Macros.of(functions), broken=unreadable)
    faults: list[Fault] = []
    bad_names = set(unreadable)
    for index, function in enumerate(functions):
        found = [*_names(functions, index), *_signature(function, index)]
        if found:
            bad_names.add(function.name.lower())
        faults += found
    pending = list(enumerate(functions))
    while pending:
        ready = [each for each in pending if not _waits(each[1], [other for _, other in pending], macros)] or pending
        for index, function in ready:
            bad = bool(macros.called(function.body) & bad_names)
            found = [] if bad or function.name.lower() in bad_names else list(_body(function, index, macros))
            if bad or found:
                bad_names.add(function.name.lower())
            faults += found
        pending = [each for each in pending if each not in ready]
    return replace(macros, broken=frozenset(bad_names)), tuple(faults)


def _waits(function: QueryFunction, pending: Sequence[QueryFunction], macros: Macros) -> bool:
    """Return whether it calls a function that is not checked yet."""
    return bool(macros.called(function.body) & {each.name.lower() for each in pending})


def _names(functions: Sequence[QueryFunction], index: int) -> Iterator[Fault]:
    name, path = functions[index].name, f"functions[{index}].name"
    lower = name.lower()
    if find_function(lower) is not None or lower in (*AGGREGATES, *RESERVED, WIDEN, *MODULE_CALLS):
        message = f"{name!r} is the name of a built-in function."
        yield error(FaultCode.RESERVED_NAME, message, "Choose another name.", field=path)
    if lower in (each.name.lower() for each in functions[:index]):
        message = f"There are several functions {name!r}; upper and lower case are equal."
        yield error(FaultCode.DUPLICATE_NAME, message, "Give each function its own name.", field=path)


def _signature(function: QueryFunction, index: int) -> Iterator[Fault]:
    for name, count in Counter(each.name for each in function.arguments).items():
        if count > 1:
            message = f"The function {function.name!r} has several arguments {name!r}."
            remedy = "Give each argument its own name."
            yield error(FaultCode.DUPLICATE_NAME, message, remedy, field=f"functions[{index}].arguments")
    for place, argument in enumerate(function.arguments):
        if isinstance(parse_type(argument.type), Struct):
            message = f"The argument {argument.name!r} of {function.name!r} is a struct."
            remedy = "Make an argument of each field that the function needs."
            path = f"functions[{index}].arguments[{place}].type"
            yield error(FaultCode.TYPE_MISMATCH, message, remedy, field=path)
    if isinstance(function, ModuleFunction):
        yield from _module_types(function, index)


def _module_types(function: ModuleFunction, index: int) -> Iterator[Fault]:
    """Refuse types that values of a module don't have (T60); structs are refused already."""
    named = [(f"arguments[{at}].type", parse_type(each.type)) for at, each in enumerate(function.arguments)]
    for path, of in (*named, ("returns", parse_type(function.returns))):
        inner = of.element if isinstance(of, Array) else of
        if str(inner) not in SCALARS and not (isinstance(of, Struct) and path != "returns"):
            message = f"{function.name!r} is in WebAssembly, which has no values of type {of}."
            remedy = f"Use {', '.join(SCALARS)} or an array of one of them."
            yield error(FaultCode.TYPE_MISMATCH, message, remedy, field=f"functions[{index}].{path}")


def _body(function: QueryFunction, index: int, macros: Macros) -> Iterator[Fault]:
    path = f"functions[{index}].as"
    fields = {each.name: parse_type(each.type) for each in function.arguments}
    own = replace(macros, within=frozenset({function.name.lower()}))
    try:
        expanded = own.expand(function.body)
        result = typed(parse(expanded.text), fields)
    except ExpressionError as wrong:
        yield expression_fault(wrong.fault, None, path)
        return
    if not isinstance(result, TypedExpression):
        for fault in result:
            yield expression_fault(expanded.original(fault), None, path)
    elif not widens(result.type, parse_type(function.returns)):
        message = f"{function.name!r} returns {function.returns}, but its expression is of type {result.type}."
        remedy = f"Write RETURNS {result.type}, or cast the expression to {function.returns}."
        yield error(FaultCode.TYPE_MISMATCH, message, remedy, field=path)
