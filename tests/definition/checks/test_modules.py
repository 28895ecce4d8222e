"""Functions of a query against the stored modules that they name (T60)."""

from typing import Any

import pytest
from pydantic import ValidationError

from streaming.definition.checks.check import check
from streaming.definition.graph import QueryGraph
from streaming.definition.own_functions.functions import ModuleFunction
from streaming.definition.own_functions.module_checks import check_modules
from streaming.definition.own_functions.modules import ModuleDescription, ModuleExport
from streaming.definition.streams.stream import StreamDefinition

HASH = "ab" * 32
ALLOC = ModuleExport(name="alloc", parameters=["i32"], results=["i32"])


def function(*arguments: str, returns: str = "long", **more: Any) -> ModuleFunction:
    listed = [{"name": f"a{place}", "type": of} for place, of in enumerate(arguments)]
    raw = {"name": "f", "arguments": listed, "returns": returns, "module": HASH, "export": "f", **more}
    return ModuleFunction.model_validate(raw)


def module(parameters: list[Any], result: Any, *more: ModuleExport, memory: bool = False) -> ModuleDescription:
    export = ModuleExport(name="f", parameters=parameters, results=[result])
    return ModuleDescription(functions=[export, *more], memory=memory)


FITTING = [
    (function("long", "timestamp"), module(["i64", "i64"], "i64")),
    (function("double", "boolean", returns="double"), module(["f64", "i32"], "f64")),
    (function("string", returns="boolean"), module(["i32", "i32"], "i32", ALLOC, memory=True)),
    (function("array<double>", returns="array<string>"), module(["i32", "i32"], "i64", ALLOC, memory=True)),
    (function("long", returns="string"), module(["i64"], "i64", memory=True)),
    (
        function("long", "string", null_arguments=True),
        module(["i32", "i64", "i32", "i32", "i32"], "i64", ALLOC, memory=True),
    ),
    (function(returns="timestamp"), module([], "i64")),
]


@pytest.mark.parametrize(("of", "stored"), FITTING)
def test_a_function_fits_its_module(of: ModuleFunction, stored: ModuleDescription) -> None:
    assert list(check_modules([of], {HASH: stored}.get)) == []


WRONG = [
    (function("long"), None, "unknown_module", "module"),
    (function("long", export="g"), module(["i64"], "i64"), "unknown_export", "export"),
    (function("double"), module(["i64"], "i64"), "bad_signature", "export"),
    (function("long", "long"), module(["i64"], "i64"), "bad_signature", "export"),
    (function("long", returns="double"), module(["i64"], "i64"), "bad_signature", "export"),
    (function("long", null_arguments=True), module(["i64"], "i64"), "bad_signature", "export"),
    (function("string"), module(["i32", "i32"], "i64", ALLOC), "unknown_export", "module"),
    (function("string"), module(["i32", "i32"], "i64", memory=True), "unknown_export", "module"),
    (function(returns="string"), module([], "i64"), "unknown_export", "module"),
]


@pytest.mark.parametrize(("of", "stored", "code", "field"), WRONG)
def test_an_error_has_its_place(of: ModuleFunction, stored: ModuleDescription | None, code: str, field: str) -> None:
    found = list(check_modules([of], {HASH: stored}.get))
    assert [(each.code, each.field) for each in found] == [(code, f"functions[0].{field}")]


def test_a_near_name_is_proposed() -> None:
    stored = ModuleDescription(functions=[ModuleExport(name="celsius", parameters=[], results=["i64"])], memory=False)
    (found,) = check_modules([function(export="celsus")], {HASH: stored}.get)
    assert found.remedy == "Did you mean 'celsius'?"


@pytest.mark.parametrize(
    "wrong",
    [{"module": "AB" * 32}, {"module": "ab"}, {"export": ""}, {"export": "a b"}, {"fuel": 0}, {"fuel": 100_000_001}],
)
def test_a_shape_that_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        function("long", **wrong)


def faults_of(functions: list[Any], of: str = "v") -> list[tuple[str, str | None]]:
    nodes = [
        {"id": "s", "kind": "input", "stream": "s"},
        {"id": "p", "kind": "project", "input": "s", "columns": [{"name": "c", "of": of}]},
        {"id": "out", "kind": "output", "input": "p"},
    ]
    stream = StreamDefinition.model_validate({"shape": "point", "fields": {"v": "long"}})
    checked = check({"version": 1, "name": "q", "functions": functions, "nodes": nodes}, {"s": stream})
    return [(each.code, each.field) for each in checked.errors]


@pytest.mark.parametrize("of", ["decimal(10,2)", "array<array<long>>", "array<decimal(3,1)>"])
def test_types_without_a_form_are_refused(of: str) -> None:
    written = function(of).model_dump(mode="json")
    assert faults_of([written]) == [("type_mismatch", "functions[0].arguments[0].type")]


def test_an_error_of_shape_has_its_place() -> None:
    written = function("long").model_dump(mode="json")
    assert faults_of([written | {"module": "x"}]) == [("bad_shape", "functions[0].module")]
    assert faults_of([written | {"fuel": "much"}]) == [("bad_shape", "functions[0].fuel")]
    del written["export"]
    assert faults_of([written]) == [("bad_shape", "functions[0].export")]


@pytest.mark.parametrize("name", ["__module", "__MODULE_with_nulls", "__widen", "`__module`", "__module /* */"])
def test_no_expression_calls_a_module_directly(name: str) -> None:
    assert ("bad_shape", "columns[0].of") in faults_of([], f"{name}('{HASH}', 'f', 'long', 1, v)")


def test_a_call_is_expanded_with_the_hash() -> None:
    graph = QueryGraph.model_validate(
        {
            "version": 1,
            "name": "q",
            "functions": [function("long").model_dump(mode="json")],
            "nodes": [{"id": "s", "kind": "input", "stream": "s"}],
        }
    )
    assert graph.functions[0].body == f"__module('{HASH}', 'f', 'long', 10000000, `a0`)"
    assert QueryGraph.model_validate_json(graph.model_dump_json()) == graph
