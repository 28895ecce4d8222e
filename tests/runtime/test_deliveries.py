"""Deliveries outside the runner's main loop: targets, hanging ones, an idle runner, reported progress."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography.fernet import Fernet

from streaming.adapters.contract import DeliveringAdapter, DeliveryBatch
from streaming.definition.streams.stream import AdapterChoice
from streaming.runtime import deliveries
from streaming.runtime.deliveries import Deliveries, targets
from streaming.runtime.runner import RunnerExit
from streaming.runtime.secret_server import KeysOutdated, SecretKeeper
from streaming.storage.backup_hold import BackupHold
from streaming.storage.result_columns import read_columns
from streaming.wire import keys
from streaming.wire.deliveries import (
    BindingDeliveries,
    DeliveryObserved,
    DeliveryTarget,
    forget_mark,
    kept_from,
    read_mark,
    refused_folder,
)
from streaming.wire.outgoing import NOTHING
from streaming.wire.sealed import Keyring, SealBroken, sealed
from tests.delivery.targets import TARGET, Shelf, ShelfAdapter, commit
from tests.runtime.paper import ORGANISATION, Desk
from tests.spark.specs import spec

LONG_S = 20.0


class GatedShelf(ShelfAdapter):
    """Signals each arrival; waits for `gate` before it takes rows."""

    def __init__(self, shelf: Shelf, arrived: threading.Event, gate: threading.Event) -> None:
        super().__init__(shelf)
        self._arrived, self._gate = arrived, gate

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        assert self._gate.wait(LONG_S)
        super().deliver(batches)
        self._arrived.set()


class Room:
    """Deliveries to shelves by identity."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shelves: dict[str, Shelf] = {}
        self.arrived: dict[str, threading.Event] = {}
        self.gates: dict[str, threading.Event] = {}
        self.revisions: list[int] = []
        self.deliveries = Deliveries(folder, self.build, lambda: 0)

    def build(self, target: DeliveryTarget) -> DeliveringAdapter:
        self.revisions.append(target.revision)
        return GatedShelf(self.shelf(target.identity), self.arrived[target.identity], self.gates[target.identity])

    def shelf(self, identity: str, *, hangs: bool = False) -> Shelf:
        if identity not in self.shelves:
            self.arrived[identity], self.gates[identity] = threading.Event(), threading.Event()
            if not hangs:
                self.gates[identity].set()
        return self.shelves.setdefault(identity, Shelf())

    def want(self, *identities: str, revision: int = 1, kind: str = "fake") -> None:
        settings = {"revision": revision, "adapter": AdapterChoice(kind=kind, options={})}
        targets = [TARGET.model_copy(update={"identity": each, **settings}) for each in identities]
        binding = BindingDeliveries(binding="b", results="results/b", targets=targets)
        self.deliveries.want({"b": binding})

    def comes(self, identity: str) -> list[int]:
        assert self.arrived[identity].wait(LONG_S), "nothing arrived"
        self.arrived[identity].clear()
        return self.shelves[identity].rows


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path / ORGANISATION)
    yield made
    for gate in made.gates.values():
        gate.set()
    made.deliveries.close()


def until(happened: Callable[[], Any]) -> Any:
    """Poll until `happened` returns a true value, while other threads run."""
    turn = threading.Event()
    for _ in range(2_000):
        if found := happened():
            return found
        turn.wait(0.01)
    raise AssertionError("it did not happen")


def test_a_hanging_target_delays_neither_the_main_loop_nor_other_deliveries(room: Room) -> None:
    commit(room.folder / "results/b", 1, [[0]])
    room.shelf("dead", hangs=True)
    room.shelf("alive")
    room.want("dead", "alive")
    assert room.comes("alive") == [0]
    for number in range(2, 5):
        commit(room.folder / "results/b", number, [[number - 1]])
        room.deliveries.wake()
        assert room.comes("alive") == list(range(number))
    assert room.shelves["dead"].rows == []
    assert room.deliveries.outstanding
    assert kept_from(room.folder / "results/b") == -1
    room.gates["dead"].set()
    until(lambda: room.shelves["dead"].rows == [0, 1, 2, 3])
    until(lambda: not room.deliveries.outstanding)


def test_nothing_is_delivered_while_a_backup_holds_and_it_arrives_afterwards(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    held, looks = threading.Event(), list[bool]()
    held.set()

    def look(root: Path) -> BackupHold | None:
        assert root == room.folder.parent
        looks.append(held.is_set())
        return BackupHold("one", 0.0) if held.is_set() else None

    monkeypatch.setattr(deliveries, "read_hold", look)
    commit(room.folder / "results/b", 1, [[0]])
    room.shelf("one")
    room.want("one", kind="file")
    until(lambda: len(looks) > 1)
    assert room.shelves["one"].rows == []
    held.clear()
    assert room.comes("one") == [0]


@pytest.mark.parametrize(("kind", "quiet"), [("file", False), ("delta", False), ("webhook", True)])
def test_only_a_delivery_into_the_organisation_s_folder_delays_a_backup(kind: str, quiet: bool, room: Room) -> None:
    commit(room.folder / "results/b", 1, [[0]])
    shelf = room.shelf("one", hangs=True)
    room.want("one", kind=kind)
    until(lambda: shelf.opened)
    until(lambda: room.deliveries.quiet is quiet)


def test_changed_settings_apply_at_once_and_a_removed_output_keeps_no_rows(room: Room) -> None:
    commit(room.folder / "results/b", 1, [[0]])
    room.shelf("one").faults = ["user"]
    room.want("one")
    reported: list[DeliveryObserved] = []

    def state() -> str:
        room.deliveries.report(reported.extend)
        return reported[-1].state if reported else ""

    until(lambda: state() == "stopped")
    assert not room.deliveries.outstanding, "somebody has to act first"
    assert read_mark(room.folder / "results/b", "one") is not None
    room.want("one", revision=2)
    assert room.comes("one") == [0]
    assert room.revisions == [1, 2]
    until(lambda: state() == "current")
    assert reported[-1].revision == 2
    before = len(reported)
    state()
    assert len(reported) == before, "unchanged progress is not reported again"
    room.want()
    until(lambda: kept_from(room.folder / "results/b") is None)


def test_an_output_keeps_its_mark_and_refused_rows_when_redis_loses_its_binding(room: Room) -> None:
    results = room.folder / "results/b"
    commit(results, 1, [[0]])
    room.shelf("one")
    room.want("one")
    assert room.comes("one") == [0]
    until(lambda: kept_from(results) == 1)
    refused_folder(results, "one").mkdir()
    room.deliveries.want({})
    room.deliveries.close()
    assert (kept_from(results), refused_folder(results, "one").exists()) == (1, True)


def test_an_output_that_is_deleted_while_it_delivers_gets_no_new_mark(room: Room) -> None:
    results = room.folder / "results/b"
    commit(results, 1, [[0]])
    room.shelf("one", hangs=True)
    room.want("one")
    until(lambda: kept_from(results) == -1)
    forget_mark(results, "one")  # by the web process, as it deletes the output
    room.deliveries.want({})
    room.gates["one"].set()
    assert room.comes("one") == [0]
    room.deliveries.close()
    assert kept_from(results) is None


def test_a_runner_stays_while_rows_wait_and_continues_after_a_restart(redis_server_url: str, tmp_path: Path) -> None:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        desk = Desk.laid(connection, tmp_path)
        binding = BindingDeliveries(binding="b", results="results/b", targets=[TARGET])
        connection.hset(keys.deliveries(ORGANISATION), "b", binding.model_dump_json())
        commit(tmp_path / "results/b", 1, [[0, 1]])
        desk.carriers.shelf.faults = ["asked"]

        def seen() -> DeliveryObserved | None:
            desk.runner.turn()
            content = connection.hget(keys.delivered(ORGANISATION), "one")
            return None if content is None else DeliveryObserved.model_validate_json(str(content))

        until(lambda: (found := seen()) and found.state == "retrying")
        desk.clock[0] = 1_000.0
        assert desk.runner.turn() is None
        desk.runner.close()
        desk.restart()
        until(lambda: (found := seen()) and found.state == "current")
        assert desk.carriers.shelf.rows == [0, 1]
        desk.runner.turn()
        desk.clock[0] = 1_061.0
        assert desk.runner.turn() is RunnerExit.IDLE
        desk.runner.close()


def test_secrets_of_outputs_stay_with_the_keeper_and_change_with_the_revision(tmp_path: Path) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()

    def wanted(key: str, text: str, revision: int) -> dict[str, BindingDeliveries]:
        token = Fernet(key).encrypt(text.encode()).decode()
        adapter = AdapterChoice(kind="unknown", options={"password": sealed(token)})
        target = TARGET.model_copy(update={"adapter": adapter, "revision": revision})
        return {"b": BindingDeliveries(binding="b", results="results/b", targets=[target])}

    keeper = SecretKeeper(Keyring([old]))
    taken = keeper.take_targets(wanted(old, "first", 1))["b"].targets[0]
    assert "first" not in repr(taken)
    assert taken.adapter.options == {"password": {"sealed": True}}
    assert keeper.target_options(taken) == {"password": "first"}
    keeper.take_targets(wanted(new, "first", 1))
    assert keeper.target_options(taken) == {"password": "first"}, "sealed again, but the same"
    with pytest.raises(KeysOutdated):
        keeper.take_targets(wanted(new, "second", 2))
    late = SecretKeeper(Keyring([old]))
    broken = late.take_targets(wanted(new, "second", 2))["b"].targets[0]
    with pytest.raises(SealBroken):
        late.target_options(broken)
    with pytest.raises(Exception, match="Enter it again"):
        targets(tmp_path, late, NOTHING)(broken)


def test_a_runner_records_the_columns_of_a_run_before_it_is_carried(redis_server_url: str, tmp_path: Path) -> None:
    wanted = spec("a", "rows.jsonl")
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as connection:
        desk = Desk.laid(connection, tmp_path)
        desk.desire(wanted)
        place = tmp_path / wanted.results / "columns"
        place.parent.mkdir(parents=True)
        place.write_text("in the way: the disk refuses")
        assert desk.runner.turn() is None, "a run is carried even if its columns can't be written yet"
        place.unlink()
        desk.runner.turn()
    fields = {"device": "string", "n": "long", "total": "long"}
    assert read_columns(tmp_path / wanted.results, wanted.run) == {"out": fields}
