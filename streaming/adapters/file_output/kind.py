"""The kind `file` of outputs, as the registry knows it."""

from streaming.adapters.file_output.adapter import FileOutput
from streaming.adapters.file_output.options import FileOutputOptions
from streaming.adapters.kinds import OutputKind

KIND = OutputKind("file", "Files", FileOutputOptions, FileOutput, menu=1)
