"""Counts with their nouns, the same wherever a person reads them."""


def counted(count: int, one: str, many: str = "") -> str:
    """Format as `1 row`, `2 rows`, `1,240 queries`; `many` is the plural where it is not the noun with an s."""
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
