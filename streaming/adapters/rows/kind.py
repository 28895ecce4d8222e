"""The registry entry of the kind `rows`."""

from streaming.adapters.kinds import InputKind
from streaming.adapters.rows.adapter import RowsAdapter
from streaming.adapters.rows.options import RowsOptions

KIND = InputKind("rows", "Transcript rows", RowsOptions, RowsAdapter, sends_ctis=True, menu=4, ends=lambda _: True)
