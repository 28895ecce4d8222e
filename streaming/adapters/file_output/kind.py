"""The registry entry of the output kind `file`."""

from collections.abc import Mapping
from pathlib import Path

from streaming.adapters.contract import DeliveringAdapter
from streaming.adapters.file_output.options import FileOutputOptions
from streaming.adapters.file_output.store import ResultFolder
from streaming.adapters.kinds import OutputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.places import DataFolder, refuse_hidden
from streaming.adapters.result_files.content import ResultLayout
from streaming.adapters.result_files.delivering import FilesDelivery


def _deliver(
    options: FileOutputOptions,
    identity: str,
    fields: Mapping[str, str],
    root: Path,
    reach: Reach,  # noqa: ARG001  # the files are in a folder
) -> DeliveringAdapter:
    refuse_hidden(options.path)
    layout = ResultLayout(options.format, options.by_day, options.formulas)
    return FilesDelivery(ResultFolder(DataFolder(root), options.path), identity, fields, layout)


KIND = OutputKind("file", "Files", FileOutputOptions, deliver=_deliver, menu=1, reads_back=True, fills_files=True)
