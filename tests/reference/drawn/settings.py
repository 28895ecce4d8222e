"""Random advance-time settings: every policy, every preset, generation by count and by time, lanes, wall clocks."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

Settings = dict[str, Any]

DELAYS = st.integers(-3, 12)


@st.composite
def generated(draw: st.DrawFn) -> Settings:
    """`generate`, by count or by time."""
    every = draw(st.one_of(st.integers(1, 4), st.integers(1, 12).map(lambda ticks: f"{ticks}us")))
    basis = draw(st.sampled_from(("last", "max")))
    return {"every": every, "delay": draw(DELAYS), "basis": basis, "final": draw(st.booleans())}


@st.composite
def presets(draw: st.DrawFn, *, wall: bool, keep: bool) -> str:
    """Draw a preset by its text; `azure` reads arrival times, so it needs `wall`; some `keep` late events."""
    names = ["increasing_start_time", "strictly_increasing_start_time", "rowtime", "watermark"]
    names += ["azure"] if wall else []
    names += ["lenses", "spl_event_time"] if keep else []
    kind = draw(st.sampled_from(names))
    lag = draw(st.integers(0, 12))
    if kind == "spl_event_time":
        return f"spl_event_time({lag}us, {draw(st.integers(1, 9))}us)"
    if kind == "watermark":
        return f"watermark({lag}us)"
    if kind == "azure":
        return f"azure({lag}us, {draw(st.integers(0, 30))}us, {draw(st.sampled_from(('shift', 'drop')))})"
    return kind


@st.composite
def wall_clocks(draw: st.DrawFn) -> Settings:
    """The idle rule, the future guard, or both."""
    found: Settings = {}
    if draw(st.booleans()):
        found["idle_after"] = f"{draw(st.integers(1, 15))}us"
        found["idle"] = draw(st.sampled_from(("leave_out", "advance")))
    if draw(st.booleans()):
        found["max_ahead"] = f"{draw(st.integers(1, 30))}us"
        found["future"] = draw(st.sampled_from(("accept", "hold", "drop")))
    return found


@st.composite
def advances(draw: st.DrawFn, *, explicit: bool, wall: bool, policies: Sequence[str]) -> Settings:
    """Draw settings of one input; `explicit`: time moves by explicit CTIs alone; `wall`: wall clocks may be read."""
    settings: Settings = {}
    how = draw(st.sampled_from(("cti", "cti") if explicit else ("cti", "generate", "generate", "preset")))
    if how == "preset":
        settings["preset"] = draw(presets(wall=wall, keep="keep" in policies))
    else:
        settings["late"] = draw(st.sampled_from(policies))
        if how == "generate":
            settings["generate"] = draw(generated())
    if settings.get("late") == "drop":
        settings["late_end"] = draw(st.sampled_from(("leave_open", "close_at_cti")))
    if not explicit and draw(st.integers(0, 4)) == 4:
        settings["over"] = "k"
    return settings | (draw(wall_clocks()) if wall else {})
