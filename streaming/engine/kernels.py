"""Which kernel runs which node."""

from importlib import import_module
from typing import cast

from streaming.engine.kernel import Kernel
from streaming.engine.plan import LifetimeSpec, MatchSpec, NodeSpec, OutputSpec, TopKSpec, UnionSpec, WindowSpec


def _made(module: str, name: str, spec: NodeSpec) -> Kernel:
    return cast(Kernel, getattr(import_module(f"streaming.engine.{module}"), name)(spec))


def kernel_of(spec: NodeSpec) -> Kernel:
    """A kernel for `spec`. It keeps nothing of its own between turns."""
    match spec:
        case WindowSpec():
            if spec.folded:
                return _made("folded_window", "FoldedWindowKernel", spec)
            return _made("window", "WindowKernel", spec)
        case TopKSpec():
            return _made("top_k", "TopKKernel", spec)
        case MatchSpec(kind="join"):
            return _made("join", "JoinKernel", spec)
        case MatchSpec(kind="asof_join"):
            return _made("asof_join", "AsofKernel", spec)
        case MatchSpec():
            return _made("pieces_join", "PiecesKernel", spec)
        case UnionSpec():
            return _made("union", "UnionKernel", spec)
        case LifetimeSpec():
            return _made("lifetimes", "LifetimeKernel", spec)
        case OutputSpec():
            return _made("outputs", "OutputKernel", spec)
