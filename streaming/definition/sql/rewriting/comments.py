"""Which comments belong to the statement behind them."""


def with_comments(text: str, before: int, first: int) -> int:
    """Where the comments begin that stand before a statement.

    Between `before`, the end of the last statement, and `first`, its own first word, there is nothing but space and
    comments. What stands on the line on which the last statement ends belongs to that one.
    """
    at = before
    if before > 0:
        line = min((end for end in (text.find("\n", before, first),) if end >= 0), default=first)
        begins = _skip_space(text, before, first)
        if begins < line:
            at = _comment_end(text, begins, first)
            if at >= first and text.startswith("/*", begins):
                at = begins  # a comment that reaches to the statement is about it
    return _skip_space(text, at, first)


def _skip_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _comment_end(text: str, at: int, end: int) -> int:
    """Behind the comment that begins at `at`."""
    if text.startswith("--", at):
        line = text.find("\n", at, end)
        return end if line < 0 else line
    depth = 0
    while at < end:
        if text.startswith("/*", at):
            depth += 1
            at += 2
        elif text.startswith("*/", at):
            depth -= 1
            at += 2
            if not depth:
                return at
        else:
            at += 1
    return end
