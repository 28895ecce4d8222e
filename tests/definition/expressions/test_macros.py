"""T59: functions of a query, expanded where they are called."""

import pytest

from streaming.definition.checks.check import check
from streaming.definition.expanding import expanded
from streaming.definition.expressions.macros import Macros
from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionError
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.faults import FaultCode
from streaming.definition.graph import QueryGraph
from streaming.definition.own_functions.functions import MacroFunction
from streaming.definition.payload.types import LONG, STRING, Fields
from streaming.definition.streams.stream import StreamDefinition

FIELDS: Fields = {"v": LONG, "w": LONG, "k": STRING}


def macro(name: str, body: str, returns: str = "long", **arguments: str) -> MacroFunction:
    listed = [{"name": each, "type": of} for each, of in arguments.items()]
    return MacroFunction.model_validate({"name": name, "arguments": listed, "returns": returns, "as": body})


MACROS = Macros.of(
    [
        macro("twice", "2 * x", x="long"),
        macro("plus", "a + b", a="long", b="long"),
        macro("four", "4"),
        macro("shout", "upper(`case`) || '!' /* loud */", returns="string", case="string"),
        macro("swap", "plus(b, a - b)", a="long", b="long"),
    ]
)


def tree(text: str) -> object:
    result = typed(parse(text), FIELDS)
    assert isinstance(result, TypedExpression), result
    return result.expression


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("twice(v)", "2 * v"),
        ("TWICE(v + 1)", "2 * (v + 1)"),
        ("`twice`(v)", "2 * v"),
        ("plus(v, w) * 2", "(v + w) * 2"),
        ("four() + v", "4 + v"),
        ("twice(twice(v))", "2 * (2 * v)"),
        ("swap(v, w)", "w + (v - w)"),
        ("swap(w, v)", "v + (w - v)"),
        ("plus(if(v > 1, v, w), coalesce(v, w))", "if(v > 1, v, w) + coalesce(v, w)"),
        ("shout(k)", "upper(k) || '!'"),
        ("v -- twice(v)\n + 1", "v + 1"),
        ("k = 'twice(v)'", "k = 'twice(v)'"),
    ],
)
def test_a_call_means_its_expression_with_the_arguments(text: str, meaning: str) -> None:
    assert tree(MACROS.expand(text).text) == tree(meaning)


def test_a_text_without_calls_stays_as_it_is() -> None:
    assert MACROS.expand(" v  +  1 ").text == " v  +  1 "


@pytest.mark.parametrize(("text", "at"), [("v + twice()", 4), ("plus(v)", 0), ("twice(v, plus(v))", 9), ("four(v)", 0)])
def test_a_wrong_number_of_arguments_is_reported_at_the_call(text: str, at: int) -> None:
    with pytest.raises(ExpressionError) as wrong:
        MACROS.expand(text)
    assert wrong.value.fault.at == at


def test_a_fault_in_an_argument_is_at_its_place() -> None:
    text = "1 + plus(v, k)"
    expanded_text = MACROS.expand(text)
    (fault,) = typed(parse(expanded_text.text), FIELDS)  # type: ignore[misc]  # it has a fault
    assert expanded_text.original(fault).at == text.index("k")


@pytest.mark.parametrize("text", ["twice(" * 200 + "v" + ")" * 200, "twice(" * 3000 + "v" + ")" * 3000])
def test_deeply_nested_calls_are_refused(text: str) -> None:
    with pytest.raises(ExpressionError, match="nested"):
        MACROS.expand(text)


def test_an_expansion_stops_when_it_is_too_long() -> None:
    doubling = [macro(f"f{n + 1}", f"f{n}(x) + f{n}(x)", x="long") for n in range(40)]
    macros = Macros.of([macro("f0", "x", x="long"), *doubling])
    with pytest.raises(ExpressionError, match="longer than 10000 characters"):
        macros.expand("f40(v)")


def faults(*functions: MacroFunction, where: str = "v > 1") -> list[tuple[FaultCode, str | None, str | None]]:
    graph = graph_of(*functions, where=where)
    found = check(graph, {"s": StreamDefinition(fields={"v": "long", "k": "string"})}).faults
    return [(each.code, each.node, each.field) for each in found]


def graph_of(*functions: MacroFunction, where: str) -> QueryGraph:
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "f", "kind": "filter", "input": "s", "where": where},
        {"id": "out", "kind": "output", "input": "f"},
    ]
    listed = [each.model_dump(mode="json") for each in functions]
    return QueryGraph.model_validate({"version": 1, "name": "q", "functions": listed, "nodes": nodes})


@pytest.mark.parametrize(
    ("function", "code", "field"),
    [
        (macro("f", "y", x="long"), FaultCode.UNKNOWN_FIELD, "functions[0].as"),
        (macro("f", "x +", x="long"), FaultCode.BAD_EXPRESSION, "functions[0].as"),
        (macro("f", "x", x="string"), FaultCode.TYPE_MISMATCH, "functions[0].as"),
        (macro("f", "f(x)", x="long"), FaultCode.BAD_EXPRESSION, "functions[0].as"),
        (macro("Upper", "x", x="long"), FaultCode.RESERVED_NAME, "functions[0].name"),
        (macro("count", "x", x="long"), FaultCode.RESERVED_NAME, "functions[0].name"),
        (macro("f", "x", x="struct<a: long>"), FaultCode.TYPE_MISMATCH, "functions[0].arguments[0].type"),
    ],
)
def test_an_error_of_a_function_is_reported_once(function: MacroFunction, code: FaultCode, field: str) -> None:
    assert faults(function, where=f"{function.name.lower()}(v) > 1" if function.name == "f" else "v > 1") == [
        (code, None, field)
    ]


def test_a_function_that_calls_a_broken_one_is_not_reported() -> None:
    broken, caller = macro("broken", "y"), macro("caller", "broken()")
    assert faults(caller, broken, where="caller() > 1") == [(FaultCode.UNKNOWN_FIELD, None, "functions[1].as")]


def test_two_functions_of_one_name_are_refused() -> None:
    assert faults(macro("f", "1"), macro("F", "2")) == [(FaultCode.DUPLICATE_NAME, None, "functions[1].name")]


def test_an_expanded_query_calls_no_functions() -> None:
    graph = expanded(graph_of(macro("big", "x > 1", "boolean", x="long"), where="big(v)"))
    assert graph.functions == []
    assert graph == expanded(graph)
    assert not check(graph, {"s": StreamDefinition(fields={"v": "long", "k": "string"})}).faults
