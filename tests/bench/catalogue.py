"""All works by name, in the order of the table."""

from collections.abc import Mapping
from typing import Any, Final, Literal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from tests.bench.data import Source
from tests.bench.works import COUNT_SUM_AVG, FEW, ONCE, Node, Work, grouped, hopping, window_node

EVENTS_PER_S: Final = "500,000 events/s"
TEN_S: Final = hopping(10, 10)


def tumbling(title: str, target: str, source: Source, size_s: int = 10, **more: Any) -> Work:
    """Count, sum and average by key and window."""
    node = window_node(hopping(size_s, size_s))
    made: dict[str, Any] = {"plain": grouped(size_s, size_s), "duckdb_s": size_s} | more
    return Work(title, target, {"events": source}, (node,), **made)


def from_kafka(message: Literal["json", "avro", "protobuf"], target: str, **more: Any) -> Work:
    """The same from a broker; plain Spark, whose connector isn't installed, reads files of the same bytes."""
    title = f"Kafka, {message}" + ("" if more else "; plain: files, `from_json`")
    return tumbling(title, target, MESSAGES, duckdb_s=None, text=True, message=message, batches=FEW, **more)


def hopped(title: str, target: str, source: Source, size_s: int, hop_s: int, batches: tuple[float, ...]) -> Work:
    """The same by hopping windows; few batches, because plain Spark takes a minute for one."""
    node = window_node(hopping(size_s, hop_s))
    plain = grouped(size_s, hop_s)
    return Work(title, target, {"events": source}, (node,), plain, batches=batches, warm_up=1)


def one_aggregate(title: str, function: Node, column: Any, source: Source, **more: Any) -> Work:
    """One aggregate `x` by key and 10 s, compared with `column`, a function without arguments."""
    node = window_node(TEN_S, [{"name": "x", **function}])
    return Work(title, "", {"events": source}, (node,), grouped(10, 10, column), columns=("x",), batches=FEW, **more)


def percentile() -> list[Column]:
    """Spark's exact percentile, interpolated as `percentile_cont` is."""
    return [f.percentile("value", 0.95).alias("x")]


def distinct_by_set() -> list[Column]:
    """`count(distinct)` is not allowed in a streaming query; a set is."""
    return [f.size(f.collect_set("user")).alias("x")]


def distinct_by_sketch() -> list[Column]:
    """An approximation, the usual advice in streaming."""
    return [f.approx_count_distinct("user").alias("x")]


def sessions(inputs: Mapping[str, DataFrame]) -> DataFrame:
    """Spark's own sessions."""
    session = f.session_window("ts", "5 seconds")
    return inputs["events"].groupBy(session, "key").agg(f.count("*").alias("n"), f.sum("value").alias("total"))


def joined(inputs: Mapping[str, DataFrame]) -> DataFrame:
    """Two watermarks, an equal key and a time range, so that Spark can drop old state."""
    left = inputs["left"].withColumnRenamed("ts", "begun")
    right = inputs["right"].withColumnsRenamed({"key": "key_of_right", "ts": "met"})
    near = f.expr("key = key_of_right and met >= begun and met < begun + interval 10 seconds")
    return left.join(right, near).select("key", "a", "b")


JOIN: Final = (
    {"id": "lasting", "kind": "set_duration", "input": "left", "duration": "10s"},
    {"id": "pairs", "kind": "join", "left": "lasting", "right": "right", "keys": ["key"]},
)
COUNT_SUM: Final = COUNT_SUM_AVG[:2]


def snapshots(title: str, source: Source, duration: str) -> Work:
    """Snapshots by key of events that last."""
    lasting = {"id": "lasting", "kind": "set_duration", "input": "events", "duration": duration}
    node = {**window_node({"kind": "snapshot"}, COUNT_SUM), "input": "lasting"}
    return Work(title, EVENTS_PER_S, {"events": source}, (lasting, node), None, columns=("n", "total"), batches=FEW)


SPL: Final = window_node(
    {"kind": "time_interval", "duration": "10s", "period": "5s", "discard_age": "10s"}, emit="on_complete"
)
TWENTY, FIVE, JSON_LINES = Source(20_000_000, 10_000), Source(5_000_000, 10_000), Source(2_000_000, 10_000, form="json")
MESSAGES: Final = Source(1_500_000, 10_000, form="json", lanes=2)
MILLION: Final = Source(1_000_000, 10_000)
USERS: Final = Source(1_000_000, 10_000, users=50_000)
FOUR_20, FOUR_5 = Source(20_000_000, 10_000, lanes=4), Source(5_000_000, 10_000, lanes=4)
TWO_SIDES: Final = {
    "left": Source(300_000, 10_000, keys=200_000, value="a"),
    "right": Source(300_000, 10_000, keys=200_000, value="b"),
}

WORKS: Final[Mapping[str, Work]] = {
    "tumbling-20m": tumbling("tumbling 10 s, 20 M, one lane", "2.0; row 3", TWENTY, batches=FEW, warm_up=1),
    "tumbling-20m-lanes": tumbling("tumbling 10 s, 20 M, four lanes", "2.0; row 3", FOUR_20, batches=FEW, warm_up=1),
    "tumbling-5m": tumbling("tumbling 10 s, 5 M, one lane", "1.3", FIVE),
    "tumbling-5m-lanes": tumbling("tumbling 10 s, 5 M, four lanes", "1.3", FOUR_5),
    "groups-10k": tumbling("tumbling 100 s, 10 k groups", "1.3", Source(5_000_000, 10_000, keys=10_000), 100),
    "groups-1m": tumbling(
        "tumbling 500 s, 1 M groups", "", Source(5_000_000, 10_000, keys=1_000_000), 500, batches=FEW, warm_up=1
    ),
    "json": tumbling("JSON lines, `json` source", "1.7", JSON_LINES, batches=FEW, duckdb_s=None),
    "json-text": tumbling("JSON lines, `from_json`", "2.2", JSON_LINES, batches=FEW, duckdb_s=None, text=True),
    "kafka-json": from_kafka("json", "1.5"),
    "kafka-avro": from_kafka("avro", "", plain=None),
    "kafka-protobuf": from_kafka("protobuf", "", plain=None),
    "hopping-60": hopped("hopping 600 s by 10 s", "40; row 300", Source(1_000_000, 1_000), 600, 10, (1.0, 0.5, 1.0)),
    "hopping-600": hopped("hopping 600 s by 1 s", "100; row 300", Source(200_000, 200), 600, 1, ONCE),
    "percentile": one_aggregate(
        "percentile_cont 0.95 vs. percentile",
        {"function": "percentile_cont", "of": "value", "fraction": 0.95},
        percentile,
        MILLION,
    ),
    "distinct": one_aggregate(
        "count_distinct vs. size(collect_set)",
        {"function": "count_distinct", "of": "user"},
        distinct_by_set,
        USERS,
    ),
    "distinct-approx": one_aggregate(
        "count_distinct (exact) vs. approx_count_distinct",
        {"function": "count_distinct", "of": "user"},
        distinct_by_sketch,
        USERS,
        alike=False,
    ),
    "session": Work(
        "sessions, gap 5 s, 50 k groups",
        "1.5",
        {"events": Source(1_000_000, 10_000, keys=50_000)},
        (window_node({"kind": "session", "gap": "5s"}, COUNT_SUM),),
        sessions,
        columns=("n", "total"),
        batches=FEW,
    ),
    "join": Work("join by key within 10 s", "1.5", TWO_SIDES, JOIN, joined, columns=("a", "b"), batches=FEW),
    "snapshot": snapshots("snapshots, 3 s from whole seconds", Source(1_000_000, 10_000, tick_us=1_000_000), "3s"),
    "snapshot-fine": snapshots("snapshots, 100 ms, every start another", MILLION, "100ms"),
    "spl": Work(
        "SPL panes 10 s by 5 s, age 10 s, on_complete", EVENTS_PER_S, {"events": MILLION}, (SPL,), None, late="keep"
    ),
    "small": tumbling(
        "small batches of 1,000, trigger 0",
        "1.0",
        Source(1_000, 100),
        batches=(1.0,) * 45,
        warm_up=20,
        duckdb_s=None,
    ),
}
