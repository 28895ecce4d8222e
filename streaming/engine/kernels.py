"""Which kernel runs which node."""

from streaming.engine.asof_join import AsofKernel
from streaming.engine.folded_window import FoldedWindowKernel
from streaming.engine.join import JoinKernel
from streaming.engine.kernel import Kernel
from streaming.engine.lifetimes import LifetimeKernel
from streaming.engine.outputs import OutputKernel
from streaming.engine.pieces_join import PiecesKernel
from streaming.engine.plan import LifetimeSpec, MatchSpec, NodeSpec, OutputSpec, TopKSpec, UnionSpec, WindowSpec
from streaming.engine.top_k import TopKKernel
from streaming.engine.union import UnionKernel
from streaming.engine.window import WindowKernel


def kernel_of(spec: NodeSpec) -> Kernel:
    """A kernel for `spec`. It keeps nothing of its own between turns."""
    match spec:
        case WindowSpec():
            return FoldedWindowKernel(spec) if spec.folded else WindowKernel(spec)
        case TopKSpec():
            return TopKKernel(spec)
        case MatchSpec(kind="join"):
            return JoinKernel(spec)
        case MatchSpec(kind="asof_join"):
            return AsofKernel(spec)
        case MatchSpec():
            return PiecesKernel(spec)
        case UnionSpec():
            return UnionKernel(spec)
        case LifetimeSpec():
            return LifetimeKernel(spec)
        case OutputSpec():
            return OutputKernel(spec)
