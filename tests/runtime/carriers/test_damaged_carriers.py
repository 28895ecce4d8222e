"""A damaged carrier fails its own runs, at each start with the same message, and no others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import redis

from streaming.runtime.carriers.carrier import CarrierLike, DamagedCarrier
from streaming.runtime.carriers.fleet import Fleet
from streaming.runtime.carriers.shared import SharedCarrier
from streaming.runtime.checkpoints import main, set_aside
from streaming.runtime.deliveries import Deliveries
from streaming.runtime.lease import LeaseHeartbeat
from streaming.runtime.mailbox import Mailbox
from streaming.runtime.runner import Runner
from streaming.spark.errors import DamagedCheckpoint
from streaming.spark.query.layout import CarrierSettings, create, is_aside
from streaming.spark.query.manifests import Manifest
from tests.runtime.paper import ORGANISATION, Desk, PaperCarrier, Papers
from tests.spark.specs import spec

DAMAGE = DamagedCheckpoint("main", "commits/8.json", "can't be read")
SHARED = spec("a", "rows.jsonl")
OWN = spec("b", "rows.jsonl").model_copy(update={"dedicated": True})


@dataclass
class CutLater(PaperCarrier):
    """A carrier with a manifest that is truncated while it runs."""

    is_cut: bool = False

    def manifests_after(self, batch: int) -> Sequence[Manifest]:
        if self.is_cut:
            raise DAMAGE
        return super().manifests_after(batch)


class DamagedMain(Desk):
    """A desk whose shared carrier is damaged; the one for a dedicated binding is intact."""

    @classmethod
    def with_main(cls, connection: "redis.Redis", folder: Path, shared: CarrierLike) -> "Desk":
        heart, papers, clock = LeaseHeartbeat(Mailbox(connection, ORGANISATION), "mine"), Papers(folder), [0.0]
        assert heart.take()

        def opening(name: str) -> CarrierLike:
            return shared if name == "main" else papers[name]

        fleet = Fleet(opening, folder, lambda: clock[0])
        deliveries = Deliveries(folder, papers.target)
        runner = Runner(Mailbox(connection, ORGANISATION), heart, fleet, deliveries, monotonic=lambda: clock[0])
        runner.resume()
        return cls(connection, papers, heart, runner, clock)


@pytest.fixture
def connection(redis_server_url: str) -> Iterator["redis.Redis"]:
    with redis.Redis.from_url(redis_server_url, decode_responses=True) as found:
        yield found


def test_its_runs_fail_with_the_message_at_each_start_and_others_run(connection: "redis.Redis", tmp_path: Path) -> None:
    desk = DamagedMain.with_main(connection, tmp_path, DamagedCarrier(DAMAGE))
    desk.carriers["b"].ready = True
    for _ in range(2):
        desk.desire(SHARED, OWN)
        desk.runner.turn()
        desk.runner.turn()
        seen = desk.observed("a-1")
        assert (seen.state, seen.domain, seen.message) == ("failed", "internal", str(DAMAGE))
        desk.carriers["b"].commit("running", run="b-1")
        desk.runner.turn()
        assert desk.observed("b-1").state == "running"
        desk.desire(OWN)  # so the web application requests a retry
        desk.runner.turn()
    assert desk.carriers["b"].commands == ["add b-1"]


def test_a_carrier_that_is_damaged_while_it_runs_fails_only_its_runs(connection: "redis.Redis", tmp_path: Path) -> None:
    shared = CutLater()
    desk = DamagedMain.with_main(connection, tmp_path, shared)
    desk.desire(SHARED, OWN)
    desk.runner.turn()
    shared.commit("running")
    desk.runner.turn()
    assert desk.observed("a-1").state == "running"
    shared.is_cut = True
    desk.runner.turn()
    desk.runner.turn()
    assert (desk.observed("a-1").state, desk.observed("a-1").message) == ("failed", str(DAMAGE))
    assert not shared.running
    desk.carriers["b"].commit("running", run="b-1")
    desk.runner.turn()
    assert desk.observed("b-1").state == "running"


def test_a_pool_with_a_damaged_shared_carrier_reports_it_to_its_organisations(tmp_path: Path) -> None:
    shared = SharedCarrier("pool-1", DamagedCarrier(DAMAGE), lambda: 0.0)
    share = shared.share("o1")
    share.start()
    shared.turn()
    failure = share.failure()
    assert failure is not None
    assert failure.message == str(DAMAGE)


def test_a_carrier_that_was_set_aside_stays_next_to_a_new_one_and_is_never_opened(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "carriers" / "main"
    create(place, CarrierSettings(home=str(tmp_path)))
    (place / "commits").mkdir()
    (place / "commits" / "8.json").write_text("{")
    messages: list[str] = []
    set_aside(tmp_path, "main", messages.append)
    assert messages == [
        "Set carrier main aside as main.damaged. Its runs resume from their restart points when you start them again."
    ]
    assert (tmp_path / "carriers" / "main.damaged" / "commits" / "8.json").read_text() == "{"
    assert create(place, CarrierSettings(home=str(tmp_path))).succeeds == "main.damaged"
    opened: list[str] = []

    def opening(name: str) -> CarrierLike:
        opened.append(name)
        return PaperCarrier()

    Fleet(opening, tmp_path, lambda: 0.0).resume()
    assert opened == ["main"]
    assert [is_aside(name) for name in ("main.damaged", "main.damaged-2", "b.2.layout-1", "main", "b.2")] == [
        True,
        True,
        True,
        False,
        False,
    ]
    for name in ("main.damaged", "../main", "nowhere"):
        assert main(["set-aside", str(tmp_path), name], messages.append) == 1
        assert "has no carrier" in capsys.readouterr().err
