"""The places of nodes and their fields in a text."""

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as default
from typing import Final

from streaming.definition.faults import Span

_WORD: Final = re.compile(
    r"\w+(?:\.(?:\w+|`(?:[^`]|``)*`))*|`(?:[^`]|``)*`|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"|<=>|<=|>=|<>|!=|==|\|\||\S",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class TextPlace:
    """The place of a value: its `span`, and for an expression the places of its characters.

    `runs` are pairs (character of the expression, code point of the text), each for the characters up to the next
    pair. Text between two runs was removed, for example a qualifier.
    """

    span: Span
    runs: tuple[tuple[int, int], ...] = ()

    def source(self, at: int) -> int:
        """Return the code point of the text for character `at` of the expression."""
        index = max(bisect_right(self.runs, (at, 1 << 60)) - 1, 0)
        start, source = self.runs[index]
        return source + at - start


@dataclass(frozen=True)
class TextPlaces:
    """The places in a text, by node id and the path of a field inside it, as in faults.

    The path `""` is the node as a whole; settings of an input are below `advance`, its EVENTTIME BY is `event_time`.
    """

    text: str
    nodes: Mapping[str | None, Mapping[str, TextPlace]] = default(default_factory=dict)

    def span_of(self, node: str | None, field: str | None = None, at: int | None = None) -> Span | None:
        """Return the place of a field, else of the longest existing prefix of its path, else of the whole node.

        With `at`, a character of an expression: the word at that character, or the last word at its end. None for a
        node that is not in the text, and for the graph as a whole.
        """
        places = self.nodes.get(node, {})
        path = field or ""
        while path not in places:
            if not path:
                return None
            path = path[: max(path.rfind("."), path.rfind("["), 0)]
        place = places[path]
        return place.span if at is None or not place.runs else self._word(place, at)

    def _word(self, place: TextPlace, at: int) -> Span:
        start = place.source(max(at, 0))
        end = place.span.end
        if start < end and (match := _WORD.match(self.text, start, end)):
            return Span(start=start, end=match.end())
        words = list(_WORD.finditer(self.text, place.span.start, end))
        return Span(start=words[-1].start(), end=words[-1].end()) if words else place.span
