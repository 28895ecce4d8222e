"""The registry entry of the kind `binding`."""

from streaming.adapters.binding.adapter import BindingAdapter
from streaming.adapters.binding.options import KIND_NAME, BindingOptions
from streaming.adapters.kinds import InputKind
from streaming.temporal.events import Shape

KIND = InputKind(
    KIND_NAME,
    "Results of another binding",
    BindingOptions,
    BindingAdapter,
    sends_ctis=True,
    menu=3,
    clocked=frozenset(Shape),
)
