"""Signs that cells of CSV are numbers, times or nulls, and detection of the number format of a file."""

import re
from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from streaming.adapters.number_marks import BLANKS, Decimal, NumberMarks, Thousands

ENOUGH: Final = 0.98
NULLS: Final = (
    *("NA", "N/A", "n/a", "na", "#N/A", "NaN", "nan", "NULL", "null", "Null", "None", "none", "nil", "\\N", "-", "--"),
    *("?", ".", "missing", "(null)", "<null>"),
)
_VALUE: Final = re.compile(
    rf"[+-]?[0-9][0-9.,'{BLANKS}]*(?:[eE][+-]?[0-9]+)?|[+-]?[.,][0-9]+"
    r"|[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}.*"
    r"|[0-9]{1,2}:[0-9]{2}.*|(?i:true|false)"
)
_MARKED: Final = re.compile(rf"[+-]?[0-9]*(?:[.,'{BLANKS}][0-9]+)+(?:[eE][+-]?[0-9]+)?|[+-]?[0-9]+(?:[eE][+-]?[0-9]+)?")
_DECIMALS: Final[Sequence[Decimal]] = (".", ",")
_THOUSANDS: Final[Sequence[Thousands]] = ("none", ",", ".", "space", "'")
_MARKS: Final = [NumberMarks(*each) for each in product(_DECIMALS, _THOUSANDS) if each[0] != each[1]]


def is_value(cell: str) -> bool:
    """Return True if a cell is a number, a time or a truth value, and so unlikely to be a name."""
    return _VALUE.fullmatch(cell.strip()) is not None


def null_texts(columns: Sequence[Sequence[str]]) -> list[str]:
    """The texts that represent null among numbers or times."""
    found: dict[str, None] = {}
    for cells in columns:
        here = [text for text in NULLS if text in set(cells)]
        others = [cell for cell in cells if cell not in here]
        if here and others and sum(map(is_value, others)) >= ENOUGH * len(others):
            found.update(dict.fromkeys(here))
    return list(found)


def found_marks(columns: Mapping[str, Sequence[str]]) -> tuple[NumberMarks | None, str]:
    """Detect the number format and describe it in a sentence; None for plain numbers, and if two readings fit."""
    numbers = {
        name: cells for name, cells in columns.items() if cells and _share(cells, _MARKED.fullmatch) and _marked(cells)
    }
    fitting = {marks: {name for name, cells in numbers.items() if _fit(cells, marks)} for marks in _MARKS}
    most = max(map(len, fitting.values()), default=0)
    best = [marks for marks, names in fitting.items() if len(names) == most]
    if not most or NumberMarks() in best:
        return None, ""
    if len({marks.decimal for marks in best}) > 1:
        name, cells = next(each for each in numbers.items() if each[0] in fitting[best[0]])
        cell = next(cell for cell in cells if _marked([cell]))
        bare = re.sub("[^0-9]", "", cell)
        return None, (
            f"{cell!r} in {name!r} may be {bare} or {re.sub('[^0-9]', '.', cell.strip())}: choose the decimal mark and "
            "the thousands separator. Until then such cells are text."
        )
    chosen = best[0]
    between = {"none": "", "space": ", and blanks as thousands separator"}.get(
        chosen.thousands, f", and {chosen.thousands!r} as thousands separator"
    )
    return chosen, f"Numbers are written with the decimal mark {chosen.decimal!r}{between}."


def _marked(cells: Sequence[str]) -> bool:
    return any(re.search("[^0-9+-]", cell.strip()) for cell in cells)


def _share(cells: Sequence[str], fits: object) -> bool:
    return sum(bool(fits(cell.strip())) for cell in cells) >= ENOUGH * len(cells)  # type: ignore[operator]


def _fit(cells: Sequence[str], marks: NumberMarks) -> bool:
    return _share(cells, marks.fits)
