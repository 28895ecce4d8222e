"""Parts of PromQL expressions, shared by dashboards and alert rules.

Every web process emits the metrics of all bindings, so each value is taken once, by `max`, before it is summed.
"""

from typing import Final

BINDING: Final = ("organisation", "binding")
INPUT: Final = (*BINDING, "input")
OUTPUT: Final = (*BINDING, "output")
LOST: Final = 'outcome=~"dropped_.*|malformed"'
MOVED: Final = 'outcome=~"adjusted|shifted"'


def once(labels: tuple[str, ...], value: str) -> str:
    """Return each value once, however many web processes emit it."""
    return f"max by ({', '.join(labels)}) ({value})"


def total(labels: tuple[str, ...], values: str) -> str:
    """Return the sums of values, by `labels`."""
    return f"sum by ({', '.join(labels)}) ({values})"


def age(labels: tuple[str, ...], metric: str) -> str:
    """Return the seconds since the time in a metric."""
    return f"time() - {once(labels, metric)}"
