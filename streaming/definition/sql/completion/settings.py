"""What may stand at the cursor in ADVANCE TIME."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from streaming.definition.sql.completion.expressions import after_point, expressions, value_due
from streaming.definition.sql.completion.items import Item, keywords, nodes, presets, streams
from streaming.definition.sql.completion.scope import Scope, Source
from streaming.definition.tokens import SqlToken

_SETTINGS: Final = (
    *("EVERY", "DELAY", "LATE", "PRESET", "BASIS", "FINAL", "IMPORT FROM"),
    *("OVER", "IDLE AFTER", "IDLE", "MAX AHEAD", "FUTURE", "LATE END"),
)
_VALUES: Final = {
    "LATE": ("DROP", "ADJUST", "SHIFT", "KEEP", "END"),
    "LATE END": ("LEAVE_OPEN", "CLOSE_AT_CTI"),
    "BASIS": ("LAST", "MAX"),
    "IDLE": ("AFTER", "LEAVE_OUT", "ADVANCE"),
    "FUTURE": ("ACCEPT", "HOLD", "DROP"),
    "IMPORT": ("FROM",),
    "MAX": ("AHEAD",),
}
_AMOUNTS: Final = frozenset({"EVERY", "DELAY", "AFTER", "AHEAD", "-"})
"""Words behind which a number or a duration stands, which cannot be offered."""


def settings(scope: Scope, tail: Sequence[SqlToken]) -> Iterator[Item]:
    """The input, then settings and their values."""
    words = [token.word for token in tail]
    last = " ".join(words[-2:]) if words[-2:] == ["LATE", "END"] else words[-1] if words else ""
    if not tail or words[-2:] == ["IMPORT", "FROM"]:
        yield from _inputs(scope)
    elif _over(words):
        yield from _clocks(scope, tail)
    elif last == "PRESET":
        yield from presets()
    elif last in _VALUES and not (last == "MAX" and words[-2:-1] == ["BASIS"]):
        yield from keywords(*_VALUES[last])
    elif last not in _AMOUNTS:
        yield from _unsaid(words)


def _unsaid(words: list[str]) -> Iterator[Item]:
    """The settings that are not said yet; beside a preset those that it does not say."""
    unsaid = [word for word in _SETTINGS if word.split()[0] not in words or word in ("LATE END", "IDLE")]
    if "PRESET" in words:
        unsaid = [word for word in unsaid if word not in ("EVERY", "DELAY", "LATE", "BASIS", "FINAL")]
    if "EVERY" in words or "LATE" in words:
        unsaid = [word for word in unsaid if word != "PRESET"]
    yield from keywords(*unsaid)


def _inputs(scope: Scope) -> Iterator[Item]:
    yield from nodes(scope.inputs, scope.schemas)
    yield from streams({name: each for name, each in scope.streams.items() if name not in scope.inputs})


def _over(words: list[str]) -> bool:
    """Whether the cursor stands in the expression behind OVER."""
    return "OVER" in words and not set(words[words.index("OVER") :]) & {
        "LATE",
        "IDLE",
        "MAX",
        "FUTURE",
        "EVERY",
        "PRESET",
    }


def _clocks(scope: Scope, tail: Sequence[SqlToken]) -> Iterator[Item]:
    """The expression whose values have a clock each, over the fields of the input."""
    name = tail[0].value
    over = tail[[token.word for token in tail].index("OVER") + 1 :]
    of = scope.of_name(name)
    known = replace(scope, given=(Source(name, name, of),))
    if over and over[-1].word == ".":
        yield from after_point(known, over)
        return
    yield from expressions(known, over)
    if over and not value_due(over):
        yield from _unsaid([token.word for token in tail])
