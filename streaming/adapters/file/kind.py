"""The kind `file`, as the registry knows it."""

from streaming.adapters.file.adapter import FileAdapter
from streaming.adapters.file.options import FileOptions
from streaming.adapters.kinds import InputKind

KIND = InputKind("file", "Files", FileOptions, FileAdapter, sends_ctis=True, menu=1)
