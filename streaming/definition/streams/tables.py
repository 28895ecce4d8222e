"""The rules of a stream of the shape `table` as clocks use them."""

from streaming.definition.streams.stream import FirstSnapshot, StreamDefinition, TableClock
from streaming.temporal.tables import DEFAULT_MAX_KEYS, LoadClock, TableRules

_CLOCKS = {TableClock.POLL: LoadClock.POLL, TableClock.STATIC: LoadClock.STATIC}


def table_rules(stream: StreamDefinition) -> TableRules:
    """Return the rules of `stream`, without errors from `check_table`."""
    return TableRules(
        keys=tuple(stream.keys or ()),
        version=stream.version,
        always=stream.first is not FirstSnapshot.EFFECTIVE,
        max_keys=DEFAULT_MAX_KEYS if stream.max_keys is None else stream.max_keys,
        clock=None if stream.clock is None else _CLOCKS.get(stream.clock),
    )
