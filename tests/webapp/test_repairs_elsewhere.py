"""Rows are restored into results on an object store, and by a pool, as anywhere else."""

from collections import Counter
from pathlib import Path
from typing import Any

from streaming.storage.result_location import NOTE
from tests.webapp.conftest import Person
from tests.webapp.samples.repaired import Repaired, line, nodes, waited, window
from tests.webapp.samples.test_repairs import TUMBLING, late_in, started
from tests.webapp.test_results_on_a_store import BUCKET, one_store, store

__all__ = ["one_store", "started", "store"]
LINES = [*late_in(0, 100, 7), line(140, "AB 1", 100)]


def check(repaired: Repaired, home: Path) -> None:
    """Dropped rows are restored, with a kill before the repair is stored, as if the run had waited for them."""
    repaired.run()
    before = repaired.stands()
    assert repaired.repair(outcome="dropped_late")["rows"] == 7
    assert repaired.stands() == before
    spec = repaired.tell()
    assert repaired.loop.killed_at("written")
    repaired.run()
    expected = waited(home, spec, LINES, "50s")
    until = max(end for _, _, end, _ in expected)
    assert Counter({row: n for row, n in repaired.stands().items() if row[2] <= until}) == expected
    assert not before >= expected
    repaired.scene.turn()
    assert repaired.repairs()[0]["given_at"] is not None


def test_results_on_an_object_store_are_repaired(started: Any, store: Any, alice: Person, tmp_path: Path) -> None:
    own = alice.organisation.pk
    place = f"endpoint_override=127.0.0.1:{store.port}&scheme=http&region=us-east-1"
    (tmp_path / str(own)).mkdir(exist_ok=True)
    (tmp_path / str(own) / NOTE).write_text(f"s3://{BUCKET}/all/{own}?{place}")
    repaired = started(nodes(window(TUMBLING)), LINES)
    check(repaired, tmp_path / "waited")
    assert not list((tmp_path / str(own) / "results").rglob("commits/*")), "they lie on the store alone"


def test_a_pool_repairs_the_results_of_its_organisations(started: Any, tmp_path: Path) -> None:
    check(started(nodes(window(TUMBLING)), LINES, pool="pool-1"), tmp_path / "waited")
