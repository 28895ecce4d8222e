"""Row indices from masks."""

from typing import Any

import numpy.typing as npt

from streaming.wire.rows.arrived import Int64s


def rows_where(mask: npt.NDArray[Any]) -> Int64s:
    """Return the indices of the non-zero entries of one dimension.

    `numpy.flatnonzero` does the same, but its wrappers cost ten times as much. A batch of a small binding calls this
    eleven times, on about a dozen rows each.
    """
    found: Int64s = mask.nonzero()[0]
    return found
