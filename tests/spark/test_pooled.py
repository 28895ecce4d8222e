"""One carrier of several organisations: each sees its own bindings under their own names, and loses nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

from streaming.spark.errors import PunctualError
from streaming.spark.planning.fair_share import ReadRequest, RowBudget, share
from streaming.spark.planning.token_bucket import read_rates, write_rate
from streaming.spark.query.control import AddBinding, ForgetBinding, SaveBinding, StopBinding
from streaming.spark.query.manifests import Manifest
from streaming.wire.messages import RunSpec
from tests.spark.loop import Loop
from tests.spark.planning.test_token_bucket import Shelf
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import BATCHES, STAGES, undisturbed
from tests.spark.test_on_spark import rows

__all__ = ["undisturbed"]
Undisturbed = tuple[list[str], list[str]]
ONE, TWO = "organisation-1", "organisation-2"


def of(organisation: str, run: str, **changed: Any) -> RunSpec:
    """Return a binding `a` of `organisation`, which reads the file of that name in the organisation's folder."""
    return spec("a", changed.pop("path", "readings.jsonl"), run=run, **changed).model_copy(
        update={"organisation": organisation}
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for organisation in (ONE, TWO):
        write_readings(tmp_path / organisation / "files" / "readings.jsonl", BATCHES)
    return tmp_path


def pooled(root: Path, **settings: Any) -> Loop:
    return Loop(root, str(root / "pool-1" / "main"), pooled=True, files="files", **settings)


def own(root: Path, organisation: str) -> Loop:
    """Return the carrier of a runner of the organisation's own."""
    folder = root / organisation
    return Loop(folder, str(folder / "carriers" / "main"), files=str(folder / "files"))


def add(loop: Loop, wanted: RunSpec, entering: str | None = None) -> None:
    loop.carrier.control.append(
        AddBinding(
            kind="add",
            tick=0,
            spec=wanted,
            bucket_ids=[0],
            lanes={},
            at_end="flush",
            from_savepoint=entering,
            moving=entering is not None,
        )
    )


def named(organisation: str) -> str:
    return f"{organisation}.a"


def results(root: Path, organisation: str) -> Undisturbed:
    return rows(root / organisation, "a")


def changes(manifests: list[Manifest], organisation: str) -> list[tuple[str, str | None]]:
    return [
        (change.state, change.message)
        for manifest in manifests
        for change in manifest.changes
        if change.binding == named(organisation)
    ]


def test_bindings_with_one_id_in_two_organisations_give_their_own_results(root: Path, undisturbed: Undisturbed) -> None:
    write_readings(root / TWO / "files" / "readings.jsonl", BATCHES - 2)
    loop = pooled(root)
    add(loop, of(ONE, "1"))
    add(loop, of(TWO, "2"))
    loop.run()
    alone = Loop(root / "alone")
    write_readings(root / "alone" / "readings.jsonl", BATCHES - 2)
    add(alone, spec("a", "readings.jsonl"))
    alone.run()
    assert results(root, ONE) == undisturbed
    assert results(root, TWO) == rows(root / "alone", "a") != undisturbed


def test_the_pool_holds_no_results_and_an_organisation_no_files_of_the_pool(root: Path) -> None:
    loop = pooled(root)
    add(loop, of(ONE, "1"))
    loop.run()
    assert {path.name for path in root.iterdir()} == {ONE, TWO, "pool-1"}
    assert {path.name for path in (root / ONE).iterdir()} == {"files", "results", "kept"}
    assert {path.name for path in (root / TWO).iterdir()} == {"files"}
    assert not (root / "pool-1" / "results").exists()


def test_a_failure_is_reported_to_its_own_organisation_only(root: Path, undisturbed: Undisturbed) -> None:
    loop = pooled(root)
    add(loop, of(ONE, "1", path="../organisation-2/files/readings.jsonl"))
    add(loop, of(TWO, "2"))
    manifests = loop.run()
    ((state, message),) = changes(manifests, ONE)
    assert state == "failed"
    assert TWO not in str(message).replace("../organisation-2", "")
    assert results(root, TWO) == undisturbed
    assert not (root / ONE / "results").exists() or rows(root / ONE, "a") == ([], [])


@pytest.mark.parametrize("organisation", ["../other", "a/b", "", ".", "a.b"])
def test_an_organisation_whose_name_could_be_another_folder_is_refused(root: Path, organisation: str) -> None:
    with pytest.raises(PunctualError, match="no organisation"):
        pooled(root).carrier.shared_of(organisation)
    with pytest.raises(PunctualError, match="no organisation"):
        pooled(root).carrier.files_of(organisation)


def test_a_command_for_one_binding_spares_another_with_the_same_id(root: Path, undisturbed: Undisturbed) -> None:
    loop = pooled(root)
    add(loop, of(ONE, "1"))
    add(loop, of(TWO, "2"))
    loop.batch()
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding=named(ONE), flush=False))
    manifests = loop.run()
    assert changes(manifests, ONE) == [("stopped", None)]
    assert results(root, TWO) == undisturbed
    assert loop.carrier.control.commanded() == {named(TWO): "2"}


@pytest.mark.parametrize("stage", STAGES)
def test_a_forgotten_binding_leaves_nothing_in_the_pool(root: Path, undisturbed: Undisturbed, stage: str) -> None:
    loop = pooled(root)
    add(loop, of(ONE, "1"))
    add(loop, of(TWO, "2"))
    loop.batch()
    loop.batch()
    loop.carrier.control.append(ForgetBinding(kind="forget", tick=0, binding=named(ONE)))
    assert loop.killed_at(stage)
    loop.run()
    loop.run()
    assert results(root, TWO) == undisturbed
    assert not any(ONE in key for content in loop.state.values() for (key,) in content)
    newest = loop.carrier.folder.read(f"commits/{loop.offset.n}.json")
    assert newest is not None
    assert ONE not in json.dumps(json.loads(newest.splitlines()[0])["bindings"])
    assert ONE not in json.dumps(loop.offset.to_json())


@pytest.mark.parametrize("stage", STAGES)
def test_an_organisation_moves_out_of_the_pool_and_back_in_the_middle_of_its_input(
    root: Path, undisturbed: Undisturbed, stage: str
) -> None:
    loop, alone = pooled(root), own(root, ONE)
    add(loop, of(ONE, "1"))
    add(loop, of(TWO, "2"))
    loop.batch()
    save(loop, named(ONE), "savepoints/out.arrow")
    loop.killed_at(stage)
    loop.batch()
    loop.carrier.control.append(ForgetBinding(kind="forget", tick=0, binding=named(ONE)))
    loop.batch()
    add(alone, of(ONE, "1"), "savepoints/out.arrow")
    alone.killed_at(stage)
    alone.batch()
    save(alone, "a", "savepoints/back.arrow")
    alone.killed_at(stage)
    alone.batch()
    add(loop, of(ONE, "1"), "savepoints/back.arrow")
    loop.killed_at(stage)
    loop.run()
    assert results(root, ONE) == results(root, TWO) == undisturbed


def save(loop: Loop, binding: str, path: str) -> None:
    loop.carrier.control.append(SaveBinding(kind="savepoint", tick=0, binding=binding, path=path, moving=True))


def test_the_limit_of_one_organisation_does_not_slow_another(root: Path, undisturbed: Undisturbed) -> None:
    loop = pooled(root)
    write_rate(loop.carrier.folder, 0, ONE)
    write_rate(loop.carrier.folder, 1_000_000, TWO)
    add(loop, of(ONE, "1"))
    add(loop, of(TWO, "2"))
    for _ in range(3 * BATCHES):
        loop.batch()
    assert results(root, TWO) == undisturbed
    assert results(root, ONE) == ([], [])
    write_rate(loop.carrier.folder, None, ONE)
    assert read_rates(loop.carrier.folder) == {TWO: 1_000_000}
    loop.run()
    assert results(root, ONE) == undisturbed


def read_request(organisation: str, binding: str, waiting: int, most: int = 10_000) -> ReadRequest:
    return ReadRequest(binding, "in", Shelf({"0": waiting}), {"0": 0}, most, organisation=organisation)


def test_a_batch_is_divided_among_organisations_first() -> None:
    many = [read_request(ONE, f"b{number}", 1_000) for number in range(50)]
    one = read_request(TWO, "a", 1_000)
    share([*many, one], RowBudget(1_000, {}), 0, first=0)
    assert one.taken == 500
    assert sum(each.taken for each in many) == 500


def test_unused_shares_go_to_other_organisations_within_their_own_limits() -> None:
    small, large, limited = read_request(ONE, "a", 10), read_request(TWO, "a", 5_000), read_request("three", "a", 5_000)
    budget = RowBudget(1_000, {"three": 100})
    waiting = share([small, large, limited], budget, 0, first=0)
    assert (small.taken, large.taken, limited.taken) == (10, 890, 100)
    assert waiting in ([limited, large], [large, limited])
    assert budget.ran_out("three")
    assert not budget.ran_out(TWO)
