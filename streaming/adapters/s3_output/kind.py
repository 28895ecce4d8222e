"""The registry entry of the output kind `s3`."""

from collections.abc import Mapping
from pathlib import Path

from streaming.adapters.contract import DeliveringAdapter
from streaming.adapters.kinds import OutputKind
from streaming.adapters.network.fetching import Reach
from streaming.adapters.result_files.content import ResultLayout
from streaming.adapters.result_files.delivering import FilesDelivery
from streaming.adapters.s3.connection_options import ADDRESSES
from streaming.adapters.s3_output.options import S3OutputOptions
from streaming.adapters.s3_output.store import BucketFolder


def _deliver(
    options: S3OutputOptions,
    identity: str,
    fields: Mapping[str, str],
    root: Path,  # noqa: ARG001  # uses no folder
    reach: Reach,
) -> DeliveringAdapter:
    layout = ResultLayout(options.format, options.by_day, options.formulas)
    return FilesDelivery(BucketFolder(options, reach), identity, fields, layout)


KIND = OutputKind("s3", "S3 objects", S3OutputOptions, deliver=_deliver, addresses=ADDRESSES, menu=4, reads_back=True)
