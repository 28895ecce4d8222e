"""An organisation's share of a pool's carrier: its own bindings by their own ids, and no others."""

from dataclasses import replace
from typing import cast

import pytest

from streaming.runtime.carriers.shared import SharedCarrier, divide
from streaming.runtime.secret_server import UNKNOWN, SecretKeeper, SecretKeepers
from streaming.spark.carrier import Carrier
from streaming.spark.errors import WORKER_AWAY, RunFailure, passes
from streaming.spark.query.manifests import Manifest, RunChange
from streaming.spark.query.totals import BindingTotals
from streaming.wire.binding_homes import organisation_in
from streaming.wire.sealed import Keyring
from tests.runtime.paper import PaperCarrier
from tests.spark.specs import spec
from tests.wire.reports import report

ONE, TWO = "o-1", "o-2"


def manifest(batch: int = 1) -> Manifest:
    totals = {f"{each}.a@1": BindingTotals(f"{each}.a", f"run-{each}") for each in (ONE, TWO)}
    changes = tuple(RunChange(f"{each}.a", f"run-{each}", "running", detail=f"trace of {each}") for each in (ONE, TWO))
    reports = tuple(report(f"run-{each}", batch) for each in (ONE, TWO))
    runs = {change.run: change for change in changes}
    return Manifest(batch, bindings=totals, changes=changes, reports=reports, runs=runs)


class PaperShared(PaperCarrier):
    """A carrier of paper with several organisations."""

    def limit(self, events_per_second: int | None, organisation: str = "") -> None:
        self.commands.append(f"limit {organisation} {events_per_second}")

    def saved(self, path: str, organisation: str = "") -> bool:
        return f"{organisation}/{path}" in self.there


def shared_over(paper: PaperShared) -> SharedCarrier:
    return SharedCarrier("pool-1", cast(Carrier, paper), lambda: 0.0)


def test_a_batch_is_divided_by_organisation() -> None:
    parts, runs = divide(manifest())
    assert parts.keys() == runs.keys() == {ONE, TWO}
    for organisation, part in parts.items():
        assert [change.binding for change in part.changes] == ["a"]
        assert {each.run for each in part.reports} == {f"run-{organisation}"} == set(runs[organisation])
    assert TWO not in repr(parts[ONE])
    assert TWO not in repr(runs[ONE])


def test_a_share_contains_only_its_own_bindings() -> None:
    paper = PaperShared(asked={f"{ONE}.a": "1", f"{TWO}.a": "2", f"{ONE}0.a": "3"})
    share = shared_over(paper).share(ONE)
    assert share.commanded() == {"a": "1"}
    share.stop("a", flush=False)
    share.forget("a")
    share.limit(5)
    assert paper.commands == [f"stop {ONE}.a flush=False", f"forget {ONE}.a", f"limit {ONE} 5"]
    paper.there.add(f"{TWO}/a.arrow")
    assert not share.saved("a.arrow")


def test_a_run_of_another_organisation_is_not_carried() -> None:
    share = shared_over(PaperShared()).share(ONE)
    with pytest.raises(PermissionError):
        share.add(spec("a", "x.jsonl").model_copy(update={"organisation": TWO}))


def test_manifests_are_read_once_and_kept_for_later_shares() -> None:
    paper = PaperShared(manifests=[manifest(1), manifest(2)])
    shared = shared_over(paper)
    assert [part.batch for part in shared.share(TWO).manifests_after(0)] == [1, 2]
    assert [part.batch for part in shared.share(ONE).manifests_after(1)] == [2]
    assert shared.share("o-3").manifests_after(0) == []


def test_the_query_starts_on_demand_and_its_end_is_reported_to_all_without_its_trace() -> None:
    paper = PaperShared()
    shared = shared_over(paper)
    one, two = shared.share(ONE), shared.share(TWO)
    shared.turn()
    assert paper.starts == 0
    one.start()
    shared.turn()
    assert paper.starts == 1
    paper.ready = True
    shared.turn()
    paper.running, paper.stopped_by = False, RunFailure("external", "The disk is full.", f"trace with {TWO}")
    shared.turn()
    for share in (one, two):
        failure = share.failure()
        assert failure is not None
        assert (failure.message, failure.detail) == ("The disk is full.", "")
        share.close()
    shared.turn()
    assert paper.starts == 1, "no share needs it again"
    assert not passes(replace(failure, message=WORKER_AWAY))


def test_shares_request_a_retried_query_again() -> None:
    paper = PaperShared()
    shared = shared_over(paper)
    share = shared.share(ONE)
    share.start()
    shared.turn()
    paper.running, paper.stopped_by = False, RunFailure("external", WORKER_AWAY, "")
    shared.turn()
    assert share.failure() is None
    assert not share.running, "so that its runs are reported as starting"


def test_a_request_gets_only_secrets_of_its_own_organisation() -> None:
    keepers = SecretKeepers()
    content = spec("a", "x.jsonl", run="run-1").model_dump(mode="json")
    content["inputs"]["readings"]["adapter"] = {
        "kind": "download",
        "options": {"url": "https://x.example/rows", "token": "planted"},
    }
    planted = type(spec("a", "x")).model_validate(content)
    keeper = SecretKeeper(Keyring([]))
    keeper.take({"a": planted})
    keepers.enter(ONE, keeper)
    keepers.enter(TWO, SecretKeeper(Keyring([])))
    assert keepers.answer_of(ONE, "run-1", "readings")["secrets"]["token"] == "planted"
    for other in (TWO, "", "o-3"):
        assert keepers.answer_of(other, "run-1", "readings") == {"refused": UNKNOWN, "domain": "external"}
    keepers.leave(ONE)
    assert "secrets" not in keepers.answer_of(ONE, "run-1", "readings")


def test_the_organisation_of_a_name_is_the_part_before_the_first_dot() -> None:
    assert organisation_in("o-1.b.c@3") == "o-1"


def test_a_dead_worker_is_reported_to_all_and_its_binding_only_to_its_organisation() -> None:
    paper = PaperShared()
    shared = shared_over(paper)
    one, two = shared.share(ONE), shared.share(TWO)
    one.start()
    paper.died = {f"{ONE}.a": "alone"}
    shared.turn()
    assert (one.deaths(), two.deaths()) == ({"a": "alone"}, {})
    assert (one.deaths(), two.deaths()) == (None, None)
