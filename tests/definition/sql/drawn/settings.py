"""Drawn settings of inputs, and paths to the time of their events."""

from typing import Any

from hypothesis import strategies as st

from streaming.definition.graph import QueryGraph
from streaming.definition.streams.stream import AdvanceTimeSettings, EventTimeBy
from tests.definition.sql.drawn.values import DURATIONS, EXPRESSIONS, NAMES, some

PRESETS = st.one_of(
    st.sampled_from(["watermark(5s)", "lenses", "azure(5s, 1m, drop)", "spl_event_time(-1tick, 0s)", "watermark()"]),
    st.sampled_from(["late", "every(5)", "a b", "EVERY 5", "x(", ")", ";", "'x'", " lenses ", "watermark('5s')", "--"]),
    st.text(min_size=1, max_size=10),
)
GENERATED = st.tuples(
    st.fixed_dictionaries({"every": DURATIONS}),
    some(delay=DURATIONS, basis=st.sampled_from(["last", "max"]), final=st.booleans()),
).map(lambda parts: parts[0] | parts[1])
SETTINGS = some(
    preset=PRESETS,
    generate=GENERATED,
    import_from=NAMES,
    late=st.sampled_from(["drop", "adjust", "shift", "keep"]),
    late_end=st.sampled_from(["leave_open", "close_at_cti"]),
    over=EXPRESSIONS,
    idle_after=DURATIONS,
    idle=st.sampled_from(["leave_out", "advance"]),
    max_ahead=DURATIONS,
    future=st.sampled_from(["accept", "hold", "drop"]),
).map(AdvanceTimeSettings.model_validate)
STEPS = st.one_of(
    NAMES,
    st.sampled_from(
        ["seen at", "from", "a`b", "", "5", "😀", "'", "_value", "_key", "a-b", ";", "`from`", "`a b`", "`a.b`", "``"]
    ),
)
PATHS = st.one_of(
    st.lists(STEPS, min_size=1, max_size=3).map(".".join),
    st.lists(NAMES, min_size=1, max_size=2).map(lambda steps: f"_key.{'.'.join(steps)}"),
    st.sampled_from(["_value.seen_at", "_meta.partition", "_key", "seen_at", ".", "a..b", " a", "a.`b`", "a. b"]),
    st.text(min_size=1, max_size=6),
).filter(bool)
EVENT_TIMES = st.tuples(
    st.fixed_dictionaries({"path": PATHS}),
    some(
        unit=st.sampled_from(["s", "ms", "us", "ns", "iso"]),
        zone=st.sampled_from(["UTC", "Europe/Berlin", "", "it's"]) | st.text(max_size=3),
    ),
).map(lambda parts: EventTimeBy.model_validate(parts[0] | parts[1]))


@st.composite
def settings_of(draw: st.DrawFn, of: QueryGraph, values: st.SearchStrategy[Any]) -> dict[str, Any]:
    """Draw `values` for some of the inputs of `of`."""
    ids = [node.id for node in of.nodes if node.kind == "input"]
    chosen = draw(st.lists(st.sampled_from(ids), unique=True, max_size=2)) if ids else []
    return {each: draw(values) for each in chosen}
