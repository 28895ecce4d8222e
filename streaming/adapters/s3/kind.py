"""The registry entry of the input kind `s3`."""

from pathlib import Path

from streaming.adapters.contract import InputAdapter
from streaming.adapters.file.adapter import FileAdapter
from streaming.adapters.file.options import FileOptions
from streaming.adapters.kinds import ConnectingBuild, InputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.s3.connection_options import ADDRESSES
from streaming.adapters.s3.objects import BucketFiles
from streaming.adapters.s3.options import S3Options
from streaming.definition.streams.stream import StreamDefinition

_OF_FILES = {
    *("pattern", "format", "delimiter", "dialect", "columns", "follow", "chunk_rows", "batch_files", "batch_bytes"),
    *("cti_column", "cti_strict"),
}


def _build(
    options: S3Options, stream: StreamDefinition, root: Path, journal: Path | None, reach: Reach
) -> InputAdapter:
    """Build the `file` adapter over objects: order, positions, formats and limits are the same."""
    files = FileOptions(path=options.prefix or ".", **options.model_dump(include=_OF_FILES))
    return FileAdapter(files, stream, root, journal, BucketFiles(options, reach))


KIND = InputKind(
    "s3",
    "S3 objects",
    S3Options,
    ConnectingBuild(_build),
    sends_ctis=True,
    addresses=ADDRESSES,
    menu=3,
    ends=lambda options: not options.follow,
)
