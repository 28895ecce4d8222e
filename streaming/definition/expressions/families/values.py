"""Functions of values of any type."""

from typing import Final

from streaming.definition.expressions import signatures as rules
from streaming.definition.expressions.signatures import entry

VALUES: Final = (
    entry(
        "greatest(value, value, ...)",
        "The largest argument; nulls are left out, null if all are null.",
        rules.of_common_order,
        2,
        None,
    ),
    entry(
        "least(value, value, ...)",
        "The smallest argument; nulls are left out, null if all are null.",
        rules.of_common_order,
        2,
        None,
    ),
    entry("coalesce(value, ...)", "The first argument that is not null.", rules.of_common_type, 1, None),
    entry(
        "nullif(value, value)",
        "Null if the two are equal, else the first (also where the second is null).",
        rules.of_common_order,
        2,
    ),
    entry(
        "if(condition, value, value)",
        "The second argument if the first is true, else the third (also where the first is null).",
        rules.condition_first,
        3,
    ),
    entry("size(array) -> long", "The number of elements, nulls included.", rules.of_array),
)
