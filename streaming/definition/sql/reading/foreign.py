"""What people write who come from other systems is taken with a sentence that says how it is written here."""

from streaming.definition.sql.grammar.foreign import FOREIGN_CLAUSES, FOREIGN_STATEMENTS, SET
from streaming.definition.sql.reading.reader import Reader


def refuse_clause(reader: Reader) -> bool:
    """Take a clause of another dialect with its fault, if one stands here."""
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
    """Take a statement of another dialect with its fault, if one stands here."""
    found = FOREIGN_STATEMENTS.get(reader.word())
    if reader.word() == "SET" and not reader.next_are("SET", "DURATION"):
        found = SET
    if found is None:
        return False
    extent = reader.here()
    reader.at = reader.end
    reader.problem(extent, *found[:2])
    return True


def refuse_comment(reader: Reader) -> bool:
    """Take a comment of another language with its fault, up to the end of its line, if one stands here."""
    if not reader.next_are("/", "/") and reader.word() != "#":
        return False
    first = reader.at
    line_end = reader.text.find("\n", reader.here()[0])
    while reader.at < reader.end and (line_end < 0 or reader.peek().start < line_end):
        reader.take()
    remedy = "Begin them with --, or write /* ... */."
    reader.problem(reader.since(first), "Comments are written in another way here.", remedy)
    return True
