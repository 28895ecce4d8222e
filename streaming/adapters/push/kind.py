"""The registry entry of the kind `push`."""

from streaming.adapters.kinds import InputKind
from streaming.adapters.push.adapter import PushAdapter
from streaming.adapters.push.options import PushOptions

KIND = InputKind("push", "HTTP push", PushOptions, PushAdapter, sends_ctis=True, menu=2)
