"""The kernel of each kind of node."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from streaming.engine.operators.analytic.kernel import AnalyticKernel
from streaming.engine.operators.joins.join import JoinKernel
from streaming.engine.operators.joins.pieces_join import PiecesKernel
from streaming.engine.operators.kernel import Kernel
from streaming.engine.operators.lifetimes.chop import ChopKernel
from streaming.engine.operators.lifetimes.edges import LifetimeKernel
from streaming.engine.operators.lifetimes.outputs import OutputKernel
from streaming.engine.operators.lifetimes.stitch import StitchKernel
from streaming.engine.operators.lifetimes.union import UnionKernel
from streaming.engine.operators.sequences.sequence import SequenceKernel
from streaming.engine.operators.windows.folded_window import FoldedWindowKernel
from streaming.engine.operators.windows.top_k import TopKKernel
from streaming.engine.operators.windows.window import WindowKernel
from streaming.planning.plan import (
    AnalyticSpec,
    ChopSpec,
    LifetimeSpec,
    MatchSpec,
    NodeSpec,
    OutputSpec,
    StitchSpec,
    TopKSpec,
    UnionSpec,
    WindowSpec,
)
from streaming.planning.sequences import SequenceSpec


def kernel_of(spec: NodeSpec) -> Kernel:
    """Return a kernel for `spec`. It keeps no state of its own between turns."""
    return _KERNELS[type(spec)](spec)


def _window(spec: WindowSpec) -> Kernel:
    return FoldedWindowKernel(spec) if spec.folded else WindowKernel(spec)


def _match(spec: MatchSpec) -> Kernel:
    if spec.kind == "asof_join":
        from streaming.engine.operators.joins.asof_join import AsofKernel

        return AsofKernel(spec)
    return {"join": JoinKernel}.get(spec.kind, PiecesKernel)(spec)


_KERNELS: Final[Mapping[type[Any], Callable[[Any], Kernel]]] = {
    WindowSpec: _window,
    TopKSpec: TopKKernel,
    SequenceSpec: SequenceKernel,
    MatchSpec: _match,
    UnionSpec: UnionKernel,
    LifetimeSpec: LifetimeKernel,
    ChopSpec: ChopKernel,
    StitchSpec: StitchKernel,
    AnalyticSpec: AnalyticKernel,
    OutputSpec: OutputKernel,
}
