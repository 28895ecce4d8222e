"""The registry entry of the kind `file`."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.file.adapter import FileAdapter
from streaming.adapters.file.options import FileOptions
from streaming.adapters.file.source import FolderFiles
from streaming.adapters.kinds import InputKind
from streaming.adapters.places import refuse_hidden
from streaming.adapters.table_loads.adapter import TableLoads, rows_of_table
from streaming.definition.streams.stream import StreamDefinition


def _build(options: FileOptions, stream: StreamDefinition, root: Path, journal: Path | None) -> InputAdapter:
    refuse_hidden(options.path)
    if stream.load is None:
        return FileAdapter(options, stream, root, journal)
    if journal is None:
        return FileAdapter(options, rows_of_table(stream), root)  # a preview shows the rows of the files
    return TableLoads(options, stream, FolderFiles(root, options), journal)


KIND = InputKind(
    "file", "Files", FileOptions, _build, sends_ctis=True, menu=1, ends=lambda options: not options.follow, loads=True
)
