"""Slices: the stretches between neighbouring boundaries of windows, folded once and merged into each window."""

from math import gcd
from typing import TypeGuard

from streaming.definition.counts import counted
from streaming.definition.graph import TopKNode, WindowNode
from streaming.definition.window_checks import hopping_windows
from streaming.definition.windows import FixedWindow
from streaming.planning.explain.facts import LifetimeBound
from streaming.planning.explain.model import Slices
from streaming.planning.explain.words import spoken
from streaming.temporal.ticks import Ticks
from streaming.temporal.windows import MAX_WINDOWS_PER_EVENT, HoppingWindows


def slices_of(node: WindowNode | TopKNode, life: LifetimeBound) -> Slices:
    """The slices of a node with fixed windows, over events that live as `life` says. Raises TypeError for others."""
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
    """Whether `node` has windows that stand where the definition says."""
    return isinstance(node, WindowNode | TopKNode) and isinstance(node.window, FixedWindow)


def _lengths(windows: HoppingWindows) -> list[Ticks]:
    """From one boundary to the next, in turn, beginning where a window begins; gaps between windows are no slice."""
    if windows.hop >= windows.size:
        return [windows.size]
    over = Ticks(windows.size % windows.hop)
    return list(dict.fromkeys([over, Ticks(windows.hop - over)])) if over else [windows.hop]


def _merged(windows: HoppingWindows) -> int:
    whole, over = divmod(windows.size, windows.hop)
    return 2 * whole + 1 if over else whole


def _most(windows: HoppingWindows, life: LifetimeBound) -> int | None:
    """How many windows begin in a stretch of `size + length - 1` ticks, at most; None: up to the cap (T24)."""
    if life.longest is None:
        return None
    most = -(-(windows.size + life.longest - 1) // windows.hop)
    return most if most <= MAX_WINDOWS_PER_EVENT else None


def _merging(lengths: list[Ticks], per_window: int) -> str:
    of = " and ".join(spoken(length) for length in lengths)
    turn = " in turn" if len(lengths) > 1 else ""
    if per_window == 1:
        return f"each window is one slice of {of}"
    return f"each window merges {counted(per_window, 'slice')} of {of}{turn}"


def _belonging(fewest: int, most: int | None) -> str:
    if most is None:
        start = "at least one window" if fewest == 1 else f"at least {counted(fewest, 'window')}"
        start = "no window, in a gap," if fewest == 0 else start
        return f"an event is in {start} and in at most {MAX_WINDOWS_PER_EVENT:,} (T24)"
    if fewest == most:
        return f"an event is in {counted(most, 'window')}"
    return f"an event is in {fewest} {'or' if most == fewest + 1 else 'to'} {counted(most, 'window')}"
