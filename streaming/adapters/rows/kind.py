"""The kind `rows`, as the registry knows it."""

from streaming.adapters.kinds import InputKind
from streaming.adapters.rows.adapter import RowsAdapter
from streaming.adapters.rows.options import RowsOptions

KIND = InputKind("rows", "Transcript rows", RowsOptions, RowsAdapter, sends_ctis=True, menu=4)
