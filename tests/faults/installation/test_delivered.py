"""Results of a real installation arrive once in Kafka, PostgreSQL and Delta Lake, whatever is killed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from deltalake import DeltaTable
from psycopg.conninfo import conninfo_to_dict

from tests.adapters.kafka_output.test_delivering import seen
from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import NumberedRun, wait_until
from tests.faults.installation.site import Site
from tests.kafka_broker import KafkaBroker
from tests.postgresql import PostgreSQL

pytestmark = [pytest.mark.thorough, pytest.mark.kafka]
BACK_S = 240.0
KILLED = ("runner", "JVM", "worker", "PostgreSQL", "Kafka", "web server", "runner")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path / "var", {"PUNCTUAL_OUTGOING_NETWORKS": "127.0.0.0/8"})
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


def outputs(postgresql: PostgreSQL, kafka: KafkaBroker, topic: str) -> list[dict[str, Any]]:
    server = conninfo_to_dict(postgresql.url)
    table = {"host": server["host"], "port": int(str(server["port"])), "database": server["dbname"]}
    table |= {"user": server["user"], "table": "delivered_ids", "key": ["id"], "tls": "off"}
    sent = {"brokers": kafka.address, "topic": topic, "security": "none"}
    kept = {"path": "delivered/ids", "key": ["id"]}
    chosen = {"postgresql": table, "kafka": sent, "delta": kept}
    return [{"node": "out", "adapter": {"kind": kind, "options": options}} for kind, options in chosen.items()]


def test_every_row_is_in_each_output_once_whatever_is_killed(
    site: Site, postgresql: PostgreSQL, kafka: KafkaBroker
) -> None:
    topic, own = kafka.topic(partitions=3), site.var / site.organisation
    run = NumberedRun(site.call, own / "files", own / "results", outputs(postgresql, kafka, topic))
    wait_until(lambda: run.states() == {"running"}, BACK_S, "the run's start")
    for kind in KILLED:
        before = [each.get("delivered") or -1 for each in run.deliveries()]
        match kind:
            case "PostgreSQL":
                postgresql.restart()
            case "Kafka":
                kafka.kill()
                kafka.start()
            case _:
                processes_of(site.var, kind)[0].kill()
        took = wait_until(
            lambda: all((now.get("delivered") or -1) > had for now, had in zip(run.deliveries(), before, strict=True)),  # noqa: B023
            BACK_S,
            f"deliveries after a killed {kind}",
        )
        print(f"{kind}: every output continues after {took:.0f} s", flush=True)
    run.writer.end()
    wait_until(lambda: run.received() == run.writer.rows, BACK_S, "all rows read")
    run.stop()
    wait_until(lambda: run.states() == {"stopped"}, BACK_S, "the stop")
    wait_until(lambda: all(each["waiting_rows"] == 0 for each in run.deliveries()), BACK_S, "all rows delivered")
    wanted = list(range(run.writer.rows))
    assert run.losses(0).lost == 0
    assert sorted(value["payload"]["id"] for _, value, _ in seen(kafka, topic, 3)) == wanted
    with psycopg.connect(postgresql.url) as connection:
        assert [each for (each,) in connection.execute("SELECT id FROM delivered_ids ORDER BY id")] == wanted
    assert sorted(DeltaTable(own / "files" / "delivered" / "ids").to_pyarrow_table().column("id").to_pylist()) == wanted
    assert json.dumps(run.deliveries()).count('"current"') == 3
    print(f"{len(wanted):,} rows are in each of three outputs once")
