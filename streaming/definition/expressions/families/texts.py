"""Functions of texts."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry
from streaming.definition.payload.types import BOOLEAN, LONG, STRING, Array

_text_to_text = rules.taking(STRING, result=STRING)
_test = rules.taking(STRING, STRING, result=BOOLEAN)
_counted = rules.taking(STRING, LONG, result=STRING)
_padded = rules.taking(STRING, LONG, STRING, result=STRING)

TEXTS: Final = (
    entry("upper(string)", "Upper case by Unicode's full mapping, the same everywhere.", _text_to_text),
    entry("lower(string)", "Lower case by Unicode's full mapping, the same everywhere.", _text_to_text),
    entry("trim(string)", "Without spaces (U+0020 only) at both ends.", _text_to_text),
    entry("length(string) -> long", "The number of code points.", rules.taking(STRING, result=LONG)),
    entry(
        "substring(string, start[, length])",
        "The text from position `start` (1 is the first, 0 means 1, -1 is the last), `length` code points long or up "
        "to the end. A negative `start` before the text counts the missing positions; a `length` below 1 gives ''.",
        rules.taking(STRING, LONG, LONG, result=STRING),
        2,
        3,
    ),
    entry("concat(string, ...)", "The texts joined; also `a || b`.", rules.texts, 1, None),
    entry(
        "replace(string, search, replacement)",
        "Every occurrence of `search`, from the left without overlap, replaced; the text itself if `search` is ''.",
        rules.taking(STRING, STRING, STRING, result=STRING),
        3,
    ),
    entry(
        "starts_with(string, start) -> boolean", "True if the text starts with `start`; always true for ''.", _test, 2
    ),
    entry("ends_with(string, end) -> boolean", "True if the text ends with `end`; always true for ''.", _test, 2),
    entry("contains(string, part) -> boolean", "True if the text contains `part`; always true for ''.", _test, 2),
    entry(
        "split_part(string, delimiter, n)",
        "The n-th part between delimiters, from 1, negative from the end; '' if no such part exists, null for n = 0. "
        "With the delimiter '' the whole text is the only part.",
        rules.taking(STRING, STRING, LONG, result=STRING),
        3,
    ),
    entry("left(string, n)", "The first `n` code points; '' for `n` below 1.", _counted, 2),
    entry("right(string, n)", "The last `n` code points; '' for `n` below 1.", _counted, 2),
    entry("reverse(string)", "The code points in reverse order.", _text_to_text),
    entry("repeat(string, n)", "The text `n` times; '' for `n` below 1.", _counted, 2),
    entry(
        "lpad(string, length[, fill])",
        "The text with `fill` (a space by default), repeated and cut, before it, `length` code points in all; a longer "
        "text is cut at its end. With the fill '' it is only cut.",
        _padded,
        2,
        3,
    ),
    entry("rpad(string, length[, fill])", "As lpad, with `fill` after the text.", _padded, 2, 3),
    entry(
        "position(part, string) -> long",
        "The place of the first `part` in the text, from 1; 0 without one, 1 for ''. Also `position(part in string)`.",
        rules.taking(STRING, STRING, result=LONG),
        2,
    ),
    entry(
        "split(string, delimiter) -> array",
        "The parts between delimiters; with the delimiter '' the whole text is the only part.",
        rules.taking(STRING, STRING, result=Array(STRING)),
        2,
    ),
    entry(
        "levenshtein(string, string) -> long",
        "The least number of code points to insert, delete or replace that make the texts equal; null if one is longer "
        "than 1,000 code points.",
        rules.taking(STRING, STRING, result=LONG),
        2,
    ),
)
