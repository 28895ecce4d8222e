"""Expressions: types, implicit widening, and every fault at once."""

import pytest

from streaming.definition.expressions.parse import parse
from streaming.definition.expressions.problems import ExpressionFault
from streaming.definition.expressions.tree import Binary, Call, CaseWhen, Cast, Expression, Field, Literal, children
from streaming.definition.expressions.typed import TypedExpression, typed
from streaming.definition.faults import FaultCode
from streaming.definition.payload.type_text import parse_fields
from streaming.definition.payload.types import BOOLEAN, DOUBLE, LONG, STRING, TIMESTAMP, DecimalOf, Null, Type

FIELDS = parse_fields(
    {
        "n": "long",
        "x": "double",
        "d": "decimal(10,2)",
        "plate": "string",
        "ok": "boolean",
        "at": "timestamp",
        "tags": "array<string>",
        "s": "struct<a: long, deep: struct<name: string>>",
    }
)


def tree_of(text: str) -> Expression:
    result = typed(parse(text), FIELDS)
    assert isinstance(result, TypedExpression), result
    return result.expression


def faults_of(text: str) -> tuple[ExpressionFault, ...]:
    result = typed(parse(text), FIELDS)
    assert not isinstance(result, TypedExpression), result.type
    return result


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("n + 1", "long"),
        ("n + x", "double"),
        ("n / 2", "double"),
        ("n % 2", "long"),
        ("n * 1.5", "double"),
        ("d + n", "decimal(23,2)"),
        ("d + d", "decimal(11,2)"),
        ("d * d", "decimal(21,4)"),
        ("d / d", "decimal(23,13)"),
        ("d % d", "decimal(10,2)"),
        ("d + x", "double"),
        ("d * 1.50BD", "decimal(14,4)"),
        ("-d", "decimal(10,2)"),
        ("-n", "long"),
        ("n + null", "long"),
        ("null + null", "double"),
        ("n > x", "boolean"),
        ("plate < 'b'", "boolean"),
        ("at >= timestamp '2026-01-01'", "boolean"),
        ("ok = true", "boolean"),
        ("n <=> null", "boolean"),
        ("not ok and null", "boolean"),
        ("n in (1, 2.5, null)", "boolean"),
        ("n between 1 and x", "boolean"),
        ("plate like 'a%'", "boolean"),
        ("tags is null", "boolean"),
        ("case when ok then n else x end", "double"),
        ("case when ok then n end", "long"),
        ("case when ok then tags end", "array<string>"),
        ("cast(plate as decimal(5,1))", "decimal(5,1)"),
        ("tags", "array<string>"),
        ("s.deep", "struct<name: string>"),
        ("s.deep.name", "string"),
        ("null", "null"),
    ],
)
def test_every_expression_has_its_documented_type(text: str, of: str) -> None:
    assert str(tree_of(text).type) == of


@pytest.mark.parametrize(
    ("text", "of"),
    [
        ("abs(d)", "decimal(10,2)"),
        ("ceil(x)", "long"),
        ("floor(d)", "decimal(9,0)"),
        ("round(x, 2)", "double"),
        ("round(n)", "long"),
        ("sqrt(n)", "double"),
        ("pow(n, d)", "double"),
        ("ln(x) + exp(x)", "double"),
        ("greatest(n, x, null)", "double"),
        ("least(plate, 'a')", "string"),
        ("coalesce(null, n)", "long"),
        ("coalesce(tags, tags)", "array<string>"),
        ("nullif(n, 0)", "long"),
        ("if(ok, n, null)", "long"),
        ("upper(plate) || lower(trim(plate))", "string"),
        ("length(plate)", "long"),
        ("substring(plate, 1)", "string"),
        ("substring(plate, 1, n)", "string"),
        ("concat('a')", "string"),
        ("replace(plate, 'a', 'b')", "string"),
        ("starts_with(plate, 'a') or ends_with(plate, 'b') or contains(plate, 'c')", "boolean"),
        ("split_part(plate, '-', 1)", "string"),
        ("year(at) + month(at) + day(at) + dayofweek(at) + hour(at) + minute(at) + second(at)", "long"),
        ("date_trunc('week', at)", "timestamp"),
        ("unix_micros(at)", "long"),
        ("timestamp_micros(n)", "timestamp"),
        ("size(tags)", "long"),
    ],
)
def test_every_function_has_its_documented_type(text: str, of: str) -> None:
    assert str(tree_of(text).type) == of


def test_a_widening_is_a_cast_in_the_tree() -> None:
    tree = tree_of("n + x")
    assert tree == Binary("+", Cast(Field(("n",), LONG), DOUBLE, DOUBLE), Field(("x",), DOUBLE), DOUBLE)


def test_a_null_literal_takes_the_required_type() -> None:
    assert tree_of("coalesce(n, null)") == Call("coalesce", (Field(("n",), LONG), Literal(None, LONG)), LONG)


def test_operands_of_decimal_arithmetic_keep_their_own_precision() -> None:
    tree = tree_of("d * n")
    assert isinstance(tree, Binary)
    assert (tree.left.type, tree.right.type) == (DecimalOf(10, 2), DecimalOf(20, 0))


def test_operands_of_a_comparison_and_branches_of_a_case_have_one_type() -> None:
    comparison, case = tree_of("n in (x, 1)"), tree_of("case when ok then 1 else x end")
    assert {child.type for child in children(comparison)} == {DOUBLE}
    assert isinstance(case, CaseWhen)
    assert (case.branches[0][1].type, case.otherwise.type) == (DOUBLE, DOUBLE)


@pytest.mark.parametrize("name", ["n + 1 > 0 and ok", "if(plate like 'a%', s.a, cast(d as long))"])
def test_no_node_is_left_without_a_type(name: str) -> None:
    pending = [tree_of(name)]
    while pending:
        node = pending.pop()
        assert not isinstance(node.type, Null)
        pending.extend(children(node))


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("POWER(x, 2)", "pow"),
        ("ceiling(x)", "ceil"),
        ("nvl(n, 0)", "coalesce"),
        ("substr(plate, 2)", "substring"),
        ("startswith(plate, 'a')", "starts_with"),
        ("len(plate)", "length"),
    ],
)
def test_the_tree_has_the_functions_own_name_for_an_alias(alias: str, name: str) -> None:
    tree = tree_of(alias)
    assert isinstance(tree, Call)
    assert tree.function == name


@pytest.mark.parametrize(
    ("text", "code", "remedy"),
    [
        ("spede > 1", "unknown_field", "the fields here are"),
        ("plat = 'a'", "unknown_field", "did you mean plate?"),
        ("s.b = 1", "unknown_field", "the fields here are a, deep"),
        ("s.deep.nam = 'x'", "unknown_field", "did you mean name?"),
        ("n.a = 1", "unknown_field", "the fields here are none"),
        ("PLATE = 'a'", "unknown_field", "the fields here are"),
        ("uper(plate)", "unknown_function", "did you mean upper?"),
        ("sum(n)", "unknown_function", "window node"),
        ("reflect('java.lang.System', 'exit')", "unknown_function", "the guide lists"),
        ("java_method('a', 'b')", "unknown_function", "the guide lists"),
        ("input_file_name()", "unknown_function", "the guide lists"),
        ("read_files('/etc/passwd')", "unknown_function", "the guide lists"),
        ("rand()", "unknown_function", ""),
        ("current_timestamp()", "unknown_function", ""),
        ("abs()", "missing_argument", "write abs(number)"),
        ("if(ok, 1)", "missing_argument", "write if("),
        ("abs(n, n)", "type_mismatch", "write abs(number)"),
        ("abs(plate)", "type_mismatch", "write abs(number)"),
        ("concat('a', 1)", "type_mismatch", "write concat("),
        ("round(d)", "type_mismatch", "write round("),
        ("round(x, n)", "type_mismatch", "write round("),
        ("round(x, 16)", "type_mismatch", "write round("),
        ("date_trunc('eon', at)", "type_mismatch", "write date_trunc("),
        ("date_trunc(plate, at)", "type_mismatch", "write date_trunc("),
        ("greatest(n, plate)", "type_mismatch", "write greatest("),
        ("greatest(tags, tags)", "type_mismatch", "write greatest("),
        ("if(n, 1, 2)", "type_mismatch", "write if("),
        ("size(plate)", "type_mismatch", "write size("),
        ("ok + 1", "type_mismatch", "compute with numbers"),
        ("plate + 'x'", "type_mismatch", "join strings with ||"),
        ("at - at", "type_mismatch", "unix_micros"),
        ("-plate", "type_mismatch", "negate a number"),
        ("not n", "type_mismatch", "compare it with something"),
        ("ok and n", "type_mismatch", "compare it with something"),
        ("n = '1'", "type_mismatch", "cast one side"),
        ("at > '2026-01-01'", "type_mismatch", "timestamp '2026"),
        ("tags = tags", "type_mismatch", "compare their fields"),
        ("n in (1, 'a')", "type_mismatch", "cast one side"),
        ("n in ()", "bad_expression", "in (value, ...)"),
        ("n like 'a'", "type_mismatch", "cast it to string"),
        ("plate like 'a\\\\'", "bad_expression", "backslash"),
        ("case when n then 1 end", "type_mismatch", "compare it with something"),
        ("case when ok then 1 else 'a' end", "type_mismatch", "cast them to one type"),
        ("cast(x as string)", "type_mismatch", "decimal(18,3)"),
        ("cast(n as timestamp)", "type_mismatch", "timestamp_micros"),
        ("cast(at as long)", "type_mismatch", "unix_micros"),
        ("cast(tags as string)", "type_mismatch", "its fields or elements"),
        ("cast(ok as double)", "type_mismatch", "a boolean can be cast to long, string"),
    ],
)
def test_a_fault_has_its_code_and_a_remedy(text: str, code: str, remedy: str) -> None:
    (fault,) = faults_of(text)
    assert fault.code.value == code
    assert remedy in fault.remedy
    assert fault.message


def test_all_faults_of_an_expression_are_returned() -> None:
    found = [(fault.code, fault.at) for fault in faults_of("spede > 1 and uper(plate) = 'A' and ok + 1 = 2")]
    assert found == [
        (FaultCode.UNKNOWN_FIELD, 0),
        (FaultCode.UNKNOWN_FUNCTION, 14),
        (FaultCode.TYPE_MISMATCH, 39),
    ]


def test_a_fault_hides_the_faults_that_it_causes() -> None:
    assert len(faults_of("abs(sqrt(nope)) + 1 > cast(nope2 as long)")) == 2


@pytest.mark.parametrize(
    ("text", "of"), [("10", LONG), ("'a'", STRING), ("true", BOOLEAN), ("timestamp '2026-01-01'", TIMESTAMP)]
)
def test_literals_are_typed(text: str, of: Type) -> None:
    assert tree_of(text).type == of
