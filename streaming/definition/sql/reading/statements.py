"""Reading of a text into statements."""

from streaming.definition.sql.grammar.clauses import TIMESTAMP
from streaming.definition.sql.grammar.words import OPERATOR_WORDS, STATEMENT_WORDS, near
from streaming.definition.sql.reading.advance_time import take_advance
from streaming.definition.sql.reading.arguments import take_argument
from streaming.definition.sql.reading.foreign import refuse_comment, refuse_statement
from streaming.definition.sql.reading.functions import take_function
from streaming.definition.sql.reading.operators import at_operator, take_operator
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.select import take_select
from streaming.definition.sql.reading.sources import skip_to_end, take_parenthesis, take_source
from streaming.definition.sql.reading.tree import (
    BodySyntax,
    InsertSyntax,
    OperatorSyntax,
    SelectSyntax,
    StatementSyntax,
    StepSyntax,
    StreamSyntax,
    WrittenFields,
)
from streaming.definition.tokens import TokenKind


def take_statements(reader: Reader) -> list[StatementSyntax]:
    """Read all statements of a text; each `;` ends one, and a missing `;` is reported."""
    statements: list[StatementSyntax] = []
    last = len(reader.tokens) - 1
    while reader.at < last:
        end = next(index for index in range(reader.at, last + 1) if _ends(reader, index))
        if end == reader.at:  # an empty statement
            reader.at += 1
            continue
        reader.end = end
        while reader.at < end:
            if refuse_comment(reader):
                continue
            statements.append(_take_statement(reader))
            if reader.at < end:
                _refuse_rest(reader)
        reader.end = last
        reader.at = min(end + 1, last)
    return statements


def _ends(reader: Reader, index: int) -> bool:
    return reader.tokens[index].word == ";" or reader.tokens[index].kind is TokenKind.END


def _refuse_rest(reader: Reader) -> None:
    """Report a missing `;` before a new statement, else the unexpected rest of the last one."""
    word = reader.word()
    if word in (*STATEMENT_WORDS, *OPERATOR_WORDS) and word != "TO":
        reader.problem(reader.here(), "The ; before this statement is missing.", "Write ; before it.")
    else:
        skip_to_end(reader)


def _take_statement(reader: Reader) -> StatementSyntax:
    statement = StatementSyntax(reader.at, reader.at)
    word = _statement_word(reader)
    if word == "QUERY":
        reader.take()
        statement.query = reader.name("The name of the query", "QUERY and a name")
    elif word == "FUNCTION":
        statement.function = take_function(reader)
    elif word == "ADVANCE":
        if reader.word(1) != "TIME":
            if reader.word() == word:
                reader.problem(reader.here(), "TIME is missing.", "Write ADVANCE TIME stream and its settings.")
            reader.at -= 1
        statement.advance = take_advance(reader)
    elif word == "WITH":
        _take_steps(reader, statement)
        if _begins_insert(reader):
            statement.insert = _take_insert(reader)
    elif word == "INSERT":
        statement.insert = _take_insert(reader)
    elif word:  # a word similar to SELECT
        body = take_body(reader)
        statement.insert = InsertSyntax(None, WrittenFields(), body, body.extent)
    statement.last = max(reader.at, statement.first + 1)
    reader.at = statement.last
    return statement


def _statement_word(reader: Reader) -> str:
    """Return the intended first word of the statement here; empty, and skip it, if there isn't one."""
    word, token = reader.word(), reader.peek()
    if _begins_insert(reader):
        return "INSERT"
    if word in STATEMENT_WORDS:
        return word
    if refuse_statement(reader):
        return ""
    guess = near(token.word, (*STATEMENT_WORDS, *OPERATOR_WORDS)) if token.kind is TokenKind.WORD else None
    if guess in STATEMENT_WORDS:
        if guess != "SELECT":  # reported where the query is read
            reader.problem(token.extent, f"Unknown statement `{token.value}`.", f"Did you mean {guess}?")
        return guess
    remedy = (
        f"Did you mean {guess}?" if guess else "Start with SELECT, INSERT INTO, WITH, FUNCTION, ADVANCE TIME or QUERY."
    )
    reader.problem(reader.here(), f"Unknown statement {reader.describe_next()}.", remedy)
    reader.at = reader.end
    return ""


def _begins_insert(reader: Reader) -> bool:
    return _begins_branch(reader) or reader.word() == "INSERT"


def _begins_branch(reader: Reader) -> bool:
    streams = reader.word() == "STREAM" and reader.at_name(1)
    return reader.word() == "SELECT" or at_operator(reader) is not None or streams


def _take_steps(reader: Reader, sentence: StatementSyntax) -> None:
    reader.take()
    if reader.accept("RECURSIVE"):
        extent = reader.tokens[reader.at - 1].extent
        reader.problem(extent, "Recursive steps are not supported.", "Remove RECURSIVE.")
    while True:
        step = _take_step(reader)
        if step is not None:
            sentence.steps.append(step)
        if not reader.accept(","):
            return
        if _begins_insert(reader) and reader.word(1) != "AS":
            reader.problem(reader.tokens[reader.at - 1].extent, "There is a comma after the last step.", "Remove it.")
            return


def _take_step(reader: Reader) -> StepSyntax | None:
    first = reader.at
    name = reader.name("The name of the step", "WITH name AS (SELECT ...)")
    if name is None and reader.at == first:
        _skip_to_next_step(reader)
        return None
    if reader.word() != "(":
        reader.expect("AS", "Write name AS (SELECT ...).")
    else:
        reader.problem(reader.here(), "AS is missing.", "Write name AS (SELECT ...).")
    if reader.word() != "(":
        message = f"A step must be in parentheses: found {reader.describe_next()} instead."
        reader.problem(reader.here(), message, "Write name AS (SELECT ...).")
        body = take_body(reader) if _begins_branch(reader) else None
        if body is None:
            _skip_to_next_step(reader)
        return StepSyntax(name, body, reader.since(first))
    body = take_parenthesis(reader, take_body)
    return StepSyntax(name, body, reader.since(first))


def _skip_to_next_step(reader: Reader) -> None:
    while reader.at < reader.end and reader.word() != "," and not _begins_insert(reader):
        reader.skip()


def _take_insert(reader: Reader) -> InsertSyntax:
    first = reader.at
    fields = WrittenFields()
    target: ValueAt[str] | None = None
    if not _begins_branch(reader):
        target = _take_target(reader)
        if reader.accept("TIMESTAMP", "BY"):
            take_argument(reader, TIMESTAMP, fields, _begins_branch)
    body = take_body(reader)
    while not any(body.branches) and reader.at < reader.end and not _begins_insert(reader):
        reader.take()  # the body has reported the unreadable part
    return InsertSyntax(target, fields, body, reader.since(first))


def _take_target(reader: Reader) -> ValueAt[str] | None:
    keyword = reader.take()
    if not reader.accept("INTO"):
        reader.problem(keyword.extent, "INTO is missing.", "Write INSERT INTO target SELECT ...")
    if reader.word() == "TABLE" and reader.at_name(1):
        reader.problem(reader.take().extent, "INSERT INTO takes a target, not a table.", "Remove TABLE.")
    target = reader.name("The target", "INSERT INTO and a name for the results")
    if reader.word() == "(":
        opened = reader.at
        reader.at = min(reader.partners.get(opened, reader.end), reader.end - 1) + 1
        remedy = "Remove it, and name the fields in the SELECT list with AS."
        reader.problem(reader.since(opened), "INSERT INTO does not support a list of fields.", remedy)
    return target


def take_body(reader: Reader) -> BodySyntax:
    """Read branches joined by UNION ALL; an unreadable branch is reported and None."""
    first = reader.at
    branches = [_take_branch(reader)]
    while reader.word() == "UNION":
        union = reader.take().extent
        if reader.accept("DISTINCT") or not reader.accept("ALL"):
            remedy = "Write UNION ALL, which keeps every event, including equal ones."
            reader.problem(union, "UNION without ALL is not supported: it would compare all events forever.", remedy)
        branches.append(_take_branch(reader))
    return BodySyntax(tuple(branches), reader.since(first))


def _take_branch(reader: Reader) -> SelectSyntax | OperatorSyntax | StreamSyntax | None:
    operator = at_operator(reader)
    if operator is not None:
        return take_operator(reader, operator, take_body)
    if reader.word() == "STREAM" and reader.at_name(1):
        first = reader.at
        source = take_source(reader, take_body)
        return StreamSyntax(source, reader.since(first)) if source else None
    token = reader.peek()
    if reader.word() == "SELECT":
        return take_select(reader, take_body)
    if token.kind is TokenKind.WORD and near(token.word, ("SELECT",)):
        reader.problem(token.extent, f"Expected SELECT, found `{token.value}`.", "Did you mean SELECT?")
        return take_select(reader, take_body)
    if reader.word() == "(" and reader.opens():
        extent = reader.here()
        reader.problem(
            extent, "Parentheses around a branch are not supported.", "Remove them: SELECT ... UNION ALL SELECT ..."
        )
        body = take_parenthesis(reader, take_body)
        return body.branches[0] if body and len(body.branches) == 1 else None
    remedy = "Write SELECT STREAM ... FROM source, or an operator such as CLIP or SHIFT."
    reader.missing("A query", remedy)
    if reader.word() in ("WITH",):
        reader.at = reader.end
    return None
