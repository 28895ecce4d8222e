"""Reading of FUNCTION: a function of the query, with the types of its arguments.

It is an expression (T59), or in WebAssembly: an export of a stored module (T60).
"""

from typing import Final

from streaming.definition.own_functions.functions import MOST_FUEL
from streaming.definition.payload.type_text import TypeTextError, parse_type
from streaming.definition.sql.reading.reader import Reader, take_whole
from streaming.definition.sql.reading.slices import ExpressionSlice, cut, take_expression
from streaming.definition.sql.reading.tree import FunctionSyntax, WrittenFields
from streaming.definition.tokens import TokenKind

_FORM: Final = "Write for example FUNCTION celsius(f double) RETURNS double AS (f - 32) * 5 / 9;"


_MODULE_FORM: Final = "Write for example FUNCTION f(x double) RETURNS double MODULE '<hash>' EXPORT 'f';"


def take_function(reader: Reader) -> FunctionSyntax:
    """Read a function; the reader is at FUNCTION.

    `FUNCTION name(argument type, ...) RETURNS type AS expression`, or, instead of AS and the expression,
    `MODULE 'hash' EXPORT 'name' [FUEL n] [CALLED ON NULL INPUT]`.
    """
    reader.take()
    fields = WrittenFields()
    body = None
    if _take_head(reader, fields):
        if reader.word() == "MODULE":
            return FunctionSyntax(_take_module(reader, fields), None)
        body = _take_body(reader) if reader.expect("AS", _FORM) else None
    if body is not None:
        fields.put("as", body.text, body.extent)
    else:
        reader.at = reader.end
    return FunctionSyntax(fields, None if body is None else body.place)


def _take_head(reader: Reader, fields: WrittenFields) -> bool:
    """Read everything before the expression; return False, and a recorded problem, if that is impossible."""
    name = reader.name("The name of the function", "FUNCTION and a name")
    if name is None:
        return False
    fields.put("name", name.value, name.extent)
    if not reader.expect("(", _FORM) or not _take_arguments(reader, fields) or not reader.expect("RETURNS", _FORM):
        return False
    _put_type(reader, fields, "returns", ("AS", "MODULE"))
    return True


def _take_module(reader: Reader, fields: WrittenFields) -> WrittenFields:
    """Read the rest of a function in WebAssembly, with recorded problems; return its fields."""
    for word, field, what in (
        ("MODULE", "module", "The hash of the module"),
        ("EXPORT", "export", "The name of the export"),
    ):
        text = reader.quoted(what, _MODULE_FORM) if reader.expect(word, _MODULE_FORM) else None
        if text is None:
            reader.at = reader.end
            return fields
        fields.put(field, text.value, text.extent)
    if reader.accept("FUEL"):
        fuel = take_whole(reader, "The fuel", 1, MOST_FUEL)
        if fuel is not None:
            fields.put("fuel", fuel.value, fuel.extent)
    nulls = reader.accept("CALLED", "ON", "NULL", "INPUT")
    if nulls:
        fields.put("null_arguments", True, nulls)
    return fields


def _take_body(reader: Reader) -> ExpressionSlice | None:
    part = take_expression(reader)
    if part:
        return cut(reader, part)
    reader.missing("The expression of the function", _FORM)
    return None


def _take_arguments(reader: Reader, fields: WrittenFields) -> bool:
    """Read the arguments up to the closing parenthesis; return False, and a recorded problem, if they end too early."""
    arguments: list[dict[str, object]] = []
    first = reader.at
    while reader.word() != ")":
        name = reader.name("The name of the argument", "celsius(f double)")
        if name is None:
            return False
        argument = WrittenFields({"name": name.value}, {})
        _put_type(reader, argument, "type", (",", ")"))
        arguments.append(argument.values)
        if not reader.accept(","):
            break
    fields.put("arguments", arguments, reader.since(first))
    return reader.expect(")", _FORM)


def _put_type(reader: Reader, fields: WrittenFields, field: str, stops: tuple[str, ...]) -> None:
    """Read a type up to one of `stops` outside of parentheses."""
    first, depth = reader.at, 0
    while reader.at < reader.end and (depth or reader.word() not in stops):
        token = reader.take()
        if token.kind is TokenKind.SYMBOL:
            depth += sum(token.word.count(each) for each in "(<[") - sum(token.word.count(each) for each in ")>]")
    if first == reader.at:
        reader.missing("The type", "Write a type, such as double, string or decimal(10,2).")
        return
    extent = reader.since(first)
    text = reader.text[slice(*extent)]
    try:
        fields.put(field, str(parse_type(text)), extent)
    except TypeTextError as error:
        message, _, remedy = str(error).partition("; ")
        reader.problem(extent, f"{message[:1].upper()}{message[1:]}.", f"{remedy[:1].upper()}{remedy[1:]}.")
