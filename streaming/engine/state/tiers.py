"""The rule for merging segments of about one size: a row is rewritten once for each tier that it passes."""

from typing import Final

FANOUT: Final = 4
"""So many segments of one tier are merged into one of the next.

With two, rows are written twice as often; with eight, a turn searches twice as many segments.
"""


def tier_of(rows: int, smallest: int = 1) -> int:
    """Return the tier of a segment of `rows`: 0 below `smallest`, then one for each power of FANOUT."""
    return max(0, (rows // smallest).bit_length() + 1) // 2
