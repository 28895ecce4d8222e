"""A version of the query that adds a column to a table of a real PostgreSQL: the message has the command to run."""

import json
from pathlib import Path

from streaming.definition.streams.stream import AdapterChoice
from streaming.delivery.delivery import Delivery, DeliverySource
from streaming.storage.results import Commit, RunBatches
from streaming.wire.deliveries import DeliveryObserved, DeliveryTarget
from streaming.wire.messages import ResultRow
from tests.adapters.postgresql_output.test_postgresql_output import HOUR, Database, database  # noqa: F401
from tests.wire.written import write_commit, write_part


def test_the_rows_of_two_versions_arrive_once_after_the_command_of_the_message_is_run(
    database: Database,  # noqa: F811
    tmp_path: Path,
) -> None:
    versions = {"first": {"car": "string", "n": "long"}, "second": {"car": "string", "Order": "double"}}
    (tmp_path / "columns").mkdir()
    for run, fields in versions.items():
        (tmp_path / "columns" / f"{run}.json").write_text(json.dumps({"out": fields}))
    for number, run, payload in (
        (1, "first", {"car": "a", "n": 1}),
        (2, "first", {"car": "b", "n": 2}),
        (3, "second", {"car": "a", "Order": 1.5}),
        (4, "second", {"car": "c", "Order": 2.5}),
    ):
        made = [ResultRow(output="out", start=number * HOUR, end=(number + 1) * HOUR, payload=payload)]
        part = write_part(tmp_path, "results", number, 0, made)
        runs = [RunBatches(run=run, first=number, last=number)]
        write_commit(tmp_path, Commit(batch=number, parts=[part], totals={}, runs=runs))
    choice = AdapterChoice(kind="postgresql", options=database.options())
    target = DeliveryTarget(identity="one", node="out", fields=versions["second"], adapter=choice, revision=1)

    def settle() -> DeliveryObserved:
        build = lambda fields: database.output(fields=dict(fields))  # noqa: E731
        delivery = Delivery(DeliverySource("b", tmp_path), target, build, lambda: 0)
        while delivery.step() == 0:
            pass
        delivery.close()
        return delivery.observed

    seen = settle()
    assert (seen.state, seen.domain, seen.waiting_rows, seen.delivered) == ("stopped", "user", 2, 2)
    assert database.rows("car, n, 1") == [("a", 1, 1), ("b", 2, 1)]
    assert seen.message is not None
    database.admin.execute(seen.message.partition("run: ")[2])
    assert settle().state == "current"
    assert settle().waiting_rows == 0
    rows = database.rows('car, n, "Order"')
    assert rows == [("a", 1, None), ("a", None, 1.5), ("b", 2, None), ("c", None, 2.5)]
