"""Forms of other systems: read and reported, with the form to write here as the remedy."""

from streaming.definition.sql.grammar.foreign import FOREIGN_CLAUSES, FOREIGN_STATEMENTS, SET
from streaming.definition.sql.reading.reader import Reader


def refuse_clause(reader: Reader) -> bool:
    """Read a clause of another dialect, if one is next, and record its problem."""
    first = reader.at
    word = reader.word()
    for words in (word, f"{word} {reader.word(1)}"):
        if words in FOREIGN_CLAUSES:
            reader.at += len(words.split())
            reader.skip_clause()
            reader.problem(reader.since(first), *FOREIGN_CLAUSES[words][:2])
            return True
    return False


def refuse_statement(reader: Reader) -> bool:
    """Read a statement of another dialect, if one is next, and record its problem."""
    foreign = FOREIGN_STATEMENTS.get(reader.word())
    if reader.word() == "SET" and not reader.next_are("SET", "DURATION"):
        foreign = SET
    if foreign is None:
        return False
    extent = reader.here()
    reader.at = reader.end
    reader.problem(extent, *foreign[:2])
    return True


def refuse_comment(reader: Reader) -> bool:
    """Read a comment of another language, up to the end of its line, if one is next, and record its problem."""
    if not reader.next_are("/", "/") and reader.word() != "#":
        return False
    first = reader.at
    line_end = reader.text.find("\n", reader.here()[0])
    while reader.at < reader.end and (line_end < 0 or reader.peek().start < line_end):
        reader.take()
    remedy = "Start a comment with --, or write /* ... */."
    reader.problem(reader.since(first), "This form of comment is not supported.", remedy)
    return True
