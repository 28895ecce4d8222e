"""Cells that a spreadsheet would evaluate as formulas."""

from typing import Final

FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # noqa: RUF001 - the wide forms are meant
"""First characters of a text that a spreadsheet takes for a formula."""
AS_TEXT: Final = "'"
"""A prefix with which a spreadsheet shows such a text unchanged."""
