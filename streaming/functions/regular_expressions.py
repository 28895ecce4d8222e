"""Regular expressions in the syntax of RE2, which has no look-around and no back-references, so it needs linear time.

Matches are searched from the left; each starts where the one before ends, or one code point later if that was empty.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final

import re2

from streaming.functions.failures import MOST_BYTES, FunctionFailure, InvalidConstant

MOST_STEPS: Final = 1 << 28
"""Most steps of a call. A search may take one for each instruction of the compiled pattern and each byte of the rest of
the text; 250 million take a second or two in the worst case, and most take far less.
"""
_MOST_COMPILED_BYTES: Final = 1 << 20
_REFERENCE: Final = re.compile(r"\$(?:(\$)|(\d)|\{(\w+)\})?", re.ASCII)


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Return the compiled `pattern`, for texts in UTF-8. Raises `InvalidConstant`."""
    if "\b" in pattern:
        raise InvalidConstant(
            "The pattern contains a backspace, which \\b in a text means",
            "write \\\\b for the border of a word",
        )
    options = re2.Options()
    options.log_errors = False
    options.max_mem = _MOST_COMPILED_BYTES
    try:
        return re2.compile(pattern.encode(), options)
    except re2.error as error:
        raise _invalid(error) from None


def _invalid(error: Exception) -> InvalidConstant:
    reason = error.args[0].decode() if isinstance(error.args[0], bytes) else str(error.args[0])
    if any(mark in reason for mark in ("(?=", "(?!", "(?<=", "(?<!")):
        remedy = "look-ahead and look-behind don't exist here: match the text around too, and extract a group"
        return InvalidConstant("The pattern looks around itself", remedy)
    if re.search(r"escape sequence: \\\d", reason):
        return InvalidConstant("The pattern refers to one of its groups", "write out what the group matches")
    if "too large" in reason or "repetition size" in reason:
        return InvalidConstant("The pattern is too large", "repeat less often, at most 1,000 times in all")
    return InvalidConstant(f"The pattern is invalid: {reason}", "write a regular expression of RE2")


def check_pattern(pattern: str) -> None:
    """Raise `InvalidConstant` for an invalid pattern."""
    compiled(pattern)


def check_group(pattern: str, group: int = 0) -> None:
    """Raise `InvalidConstant` for an invalid pattern, or a group that it does not have."""
    groups = compiled(pattern).groups
    if not 0 <= group <= groups:
        raise InvalidConstant(f"The pattern has no group {group}", f"write a number from 0 to {groups}", place=1)


def check_replacement(pattern: str, replacement: str = "") -> None:
    """Raise `InvalidConstant` for an invalid pattern, or a replacement that refers to a group that it does not have."""
    _parts(pattern, replacement)


@lru_cache(maxsize=256)
def _parts(pattern: str, replacement: str) -> tuple[bytes | int, ...]:
    """Return `replacement` as texts and numbers of groups."""
    expression, parts, at = compiled(pattern), list[bytes | int](), 0
    for found in _REFERENCE.finditer(replacement):
        parts.append(replacement[at : found.start()].encode())
        at = found.end()
        if found[1]:
            parts.append(b"$")
            continue
        name = found[2] or found[3] or ""
        group = int(name) if name.isdigit() else expression.groupindex.get(name.encode())
        if group is None or group > expression.groups:
            message = f"{found[0]!r} in the replacement is not a group of the pattern"
            raise InvalidConstant(
                message, "write $1 or ${name} for a group, $0 for the match, $$ for a dollar", place=1
            )
        parts.append(group)
    return (*parts, replacement[at:].encode())


@lru_cache(maxsize=256)
def _most_bytes(pattern: str) -> int:
    """Return how many bytes a call may search."""
    return MOST_STEPS // max(int(compiled(pattern).programsize), 1)


def _first(text: bytes, pattern: str) -> Any:
    """Return the first match, or None. Raises `FunctionFailure` where the search might take too long."""
    if len(text) > _most_bytes(pattern):
        raise FunctionFailure("the text is too long for the pattern", "too_long")
    return compiled(pattern).search(text)


def _matches(text: bytes, pattern: str) -> Iterator[Any]:
    """Yield the matches. Raises `FunctionFailure` where a further search might take too long.

    `finditer` of the package would find an empty match twice.
    """
    search, left = compiled(pattern).search, _most_bytes(pattern) - len(text)
    found = _first(text, pattern)
    while found is not None:
        yield found
        start, at = found.span()
        if start == at:
            at += 1
            while at < len(text) and text[at] & 0xC0 == 0x80:  # inside of a code point
                at += 1
        if at > len(text):
            return
        left -= len(text) - at
        if left < 0:
            raise FunctionFailure("the text has too many matches", "too_long")
        found = search(text, at)


def regexp_like(text: str, pattern: str) -> bool:
    """Return whether `pattern` matches a part of `text`."""
    return _first(text.encode(), pattern) is not None


def regexp_extract(text: str, pattern: str, group: int = 0) -> str | None:
    """Return `group` of the first match; None without a match, or if the group takes no part in it."""
    found = _first(text.encode(), pattern)
    part = None if found is None else found.group(group)
    return None if part is None else part.decode()


def regexp_count(text: str, pattern: str) -> int:
    """Return the number of matches."""
    return sum(1 for _ in _matches(text.encode(), pattern))


def regexp_replace(text: str, pattern: str, replacement: str = "") -> str:
    """Return `text` with all matches replaced."""
    data, parts = text.encode(), _parts(pattern, replacement)
    made, length, at = list[bytes](), 0, 0
    for found in _matches(data, pattern):
        new = b"".join(part if isinstance(part, bytes) else found.group(part) or b"" for part in parts)
        start, end = found.span()
        made += [data[at:start], new]
        length += start - at + len(new)
        at = end
        if length > MOST_BYTES:
            break
    if length + len(data) - at > MOST_BYTES:
        raise FunctionFailure(f"a text is longer than {MOST_BYTES} bytes", "too_long")
    return b"".join([*made, data[at:]]).decode()
