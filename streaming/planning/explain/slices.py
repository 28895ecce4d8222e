"""Slices: the times between adjacent boundaries of windows, aggregated once and merged into each window."""

from math import gcd
from typing import TypeGuard

from streaming.definition.checks.window_sizes import hopping_windows
from streaming.definition.counts import counted
from streaming.definition.graph import TopKNode, WindowNode
from streaming.planning.explain.explain_facts import LifetimeBound
from streaming.planning.explain.model import Slices
from streaming.planning.explain.words import spoken
from streaming.temporal.ticks import Ticks
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT, HoppingWindows


def slices_of(node: WindowNode | TopKNode, life: LifetimeBound) -> Slices:
    """Return the slices of a node with windows of one size over events with lifetimes `life`.

    Raises TypeError for others.
    """
    windows = hopping_windows(node)
    grid = Ticks(gcd(windows.size, windows.hop))
    lengths = _lengths(windows)
    per_window = 1 if windows.hop >= windows.size else _merged(windows)
    fewest, most = windows.size // windows.hop, _most(windows, life)
    return Slices(
        size=windows.size,
        hop=windows.hop,
        offset=Ticks(windows.offset % windows.hop),
        grid=grid,
        lengths=lengths,
        per_window=per_window,
        fewest=fewest,
        most=most,
        text=f"{_merging(lengths, per_window)}; {_belonging(fewest, most)}",
    )


def has_slices(node: object) -> TypeGuard[WindowNode | TopKNode]:
    """Return whether `node` has windows of one size at fixed times."""
    return isinstance(node, WindowNode | TopKNode) and isinstance(node.window.panes(), HoppingWindows)


def _lengths(windows: HoppingWindows) -> list[Ticks]:
    """Return the lengths between boundaries, alternating from the start of a window; gaps aren't slices."""
    if windows.hop >= windows.size:
        return [windows.size]
    over = Ticks(windows.size % windows.hop)
    return list(dict.fromkeys([over, Ticks(windows.hop - over)])) if over else [windows.hop]


def _merged(windows: HoppingWindows) -> int:
    whole, over = divmod(windows.size, windows.hop)
    return 2 * whole + 1 if over else whole


def _most(windows: HoppingWindows, life: LifetimeBound) -> int | None:
    """Return the largest number of windows that start within `size + length - 1` ticks; None: up to the cap (T24)."""
    if life.longest is None:
        return None
    most = -(-(windows.size + life.longest - 1) // windows.hop)
    return most if most <= MAX_WINDOWS_PER_EVENT else None


def _merging(lengths: list[Ticks], per_window: int) -> str:
    of = " and ".join(spoken(length) for length in lengths)
    turn = ", alternating" if len(lengths) > 1 else ""
    if per_window == 1:
        return f"each window is one slice of {of}"
    return f"each window merges {counted(per_window, 'slice')} of {of}{turn}"


def _belonging(fewest: int, most: int | None) -> str:
    if most is None:
        start = "at least one window" if fewest == 1 else f"at least {counted(fewest, 'window')}"
        start = "no window (in a gap)" if fewest == 0 else start
        return f"an event is in {start} and at most {MAX_WINDOWS_PER_EVENT:,} (T24)"
    if fewest == most:
        return f"an event is in {counted(most, 'window')}"
    return f"an event is in {fewest} {'or' if most == fewest + 1 else 'to'} {counted(most, 'window')}"
