"""Deliveries beside the runner's main loop: what is wanted, what hangs, what keeps the runner, what is told."""

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import redis
from cryptography.fernet import Fernet

from streaming.adapters.contract import DeliveringAdapter, DeliveryBatch
from streaming.definition.streams import AdapterChoice
from streaming.runtime.deliveries import Deliveries, targets
from streaming.runtime.runner import RunnerExit
from streaming.runtime.secret_server import KeysOutdated, SecretKeeper
from streaming.wire import keys
from streaming.wire.deliveries import BindingDeliveries, DeliveryObserved, DeliveryTarget, kept_from, read_mark
from streaming.wire.outgoing import NOTHING
from streaming.wire.sealed import Keyring, SealBroken, sealed
from tests.delivery.targets import TARGET, Shelf, ShelfAdapter, commit
from tests.runtime.paper import ORGANISATION, Desk

LONG_S = 20.0


class ToldShelf(ShelfAdapter):
    """Says when something has arrived; waits for `gate` before it takes anything."""

    def __init__(self, shelf: Shelf, arrived: threading.Event, gate: threading.Event) -> None:
        super().__init__(shelf)
        self._arrived, self._gate = arrived, gate

    def deliver(self, batches: Sequence[DeliveryBatch]) -> None:
        assert self._gate.wait(LONG_S)
        super().deliver(batches)
        self._arrived.set()


class Room:
    """Deliveries over shelves by identity."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.shelves: dict[str, Shelf] = {}
        self.arrived: dict[str, threading.Event] = {}
        self.gates: dict[str, threading.Event] = {}
        self.revisions: list[int] = []
        self.deliveries = Deliveries(folder, self.build, lambda: 0)

    def build(self, target: DeliveryTarget) -> DeliveringAdapter:
        self.revisions.append(target.revision)
        return ToldShelf(self.shelf(target.identity), self.arrived[target.identity], self.gates[target.identity])

    def shelf(self, identity: str, *, hangs: bool = False) -> Shelf:
        if identity not in self.shelves:
            self.arrived[identity], self.gates[identity] = threading.Event(), threading.Event()
            if not hangs:
                self.gates[identity].set()
        return self.shelves.setdefault(identity, Shelf())

    def want(self, *identities: str, revision: int = 1) -> None:
        found = [TARGET.model_copy(update={"identity": each, "revision": revision}) for each in identities]
        binding = BindingDeliveries(binding="b", results="results/b", targets=found)
        self.deliveries.want({"b": binding} if found else {})

    def comes(self, identity: str) -> list[int]:
        assert self.arrived[identity].wait(LONG_S), "nothing arrived"
        self.arrived[identity].clear()
        return self.shelves[identity].rows


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    made = Room(tmp_path)
    yield made
    for gate in made.gates.values():
        gate.set()
    made.deliveries.close()


def until(happened: Callable[[], Any]) -> Any:
    """Give the other threads their turn until something has happened."""
    turn = threading.Event()
    for _ in range(2_000):
        if found := happened():
            return found
        turn.wait(0.01)
    raise AssertionError("it did not happen")


def test_a_target_that_hangs_holds_up_neither_the_main_loop_nor_its_neighbour(room: Room) -> None:
    commit(room.folder / "results/b", 1, [[0]])
    room.shelf("dead", hangs=True)
    room.shelf("alive")
    room.want("dead", "alive")
    assert room.comes("alive") == [0]
    for number in range(2, 5):
        commit(room.folder / "results/b", number, [[number - 1]])
        room.deliveries.look()
        assert room.comes("alive") == list(range(number))
    assert room.shelves["dead"].rows == []
    assert room.deliveries.outstanding
    assert kept_from(room.folder / "results/b") == -1
    room.gates["dead"].set()
    until(lambda: room.shelves["dead"].rows == [0, 1, 2, 3])
    until(lambda: not room.deliveries.outstanding)


def test_other_settings_are_used_at_once_and_an_output_that_is_no_more_keeps_nothing(room: Room) -> None:
    commit(room.folder / "results/b", 1, [[0]])
    room.shelf("one").faults = ["user"]
    room.want("one")
    told: list[DeliveryObserved] = []

    def state() -> str:
        room.deliveries.tell(told.extend)
        return told[-1].state if told else ""

    until(lambda: state() == "stopped")
    assert not room.deliveries.outstanding, "somebody has to act first"
    assert read_mark(room.folder / "results/b", "one") is not None
    room.want("one", revision=2)
    assert room.comes("one") == [0]
    assert room.revisions == [1, 2]
    until(lambda: state() == "current")
    assert told[-1].revision == 2
    before = len(told)
    state()
    assert len(told) == before, "what has not changed is not told again"
    room.want()
    until(lambda: kept_from(room.folder / "results/b") is None)


def test_a_runner_stays_while_rows_wait_and_goes_on_after_a_restart(redis_server_url: str, tmp_path: Path) -> None:
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
    assert keeper.target_options(taken) == {"password": "first"}, "sealed anew, but the same"
    with pytest.raises(KeysOutdated):
        keeper.take_targets(wanted(new, "second", 2))
    late = SecretKeeper(Keyring([old]))
    broken = late.take_targets(wanted(new, "second", 2))["b"].targets[0]
    with pytest.raises(SealBroken):
        late.target_options(broken)
    with pytest.raises(Exception, match="Give it again"):
        targets(tmp_path, late, NOTHING)(broken)
