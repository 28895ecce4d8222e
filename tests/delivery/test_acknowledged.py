"""Deliveries to a target that stores no numbers: the mark has its acknowledgements, refused rows are stored."""

import random
from collections.abc import Sequence
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters.contract import AdapterError, DeliveryBatch, RefusedRequest
from streaming.delivery import backoff, delivery
from streaming.delivery.delivery import Delivery, DeliverySource
from streaming.storage import refused_requests
from streaming.storage.refused_requests import forget_refused, refused_rows, stored_refused
from streaming.wire.deliveries import forget_mark, read_mark, refused_folder
from tests.delivery.targets import TARGET, commit
from tests.delivery.test_delivery import merge

S = 1_000_000


class Receiver:
    """Stores the rows that it takes; can refuse odd ones, and fail before or after it has taken some."""

    def __init__(self) -> None:
        self.rows: list[int] = []
        self.faults: list[str] = []
        self.refuses_odd = False
        self.closed = 0

    def send(self, batch: DeliveryBatch) -> Sequence[RefusedRequest]:
        fault = self.faults.pop(0) if self.faults else ""
        if fault == "before":
            raise AdapterError("It broke.", domain="external", again_after_s=50.0)
        refused = []
        for part, row in enumerate(batch.rows):
            n = row["payload"]["n"]
            if self.refuses_odd and n % 2:
                refused.append(RefusedRequest(batch.number, part, "It is odd.", [row]))
            else:
                self.rows.append(n)
        if fault == "after":
            raise AdapterError("No answer came.", domain="external")
        if fault == "partly":
            error = AdapterError("It broke within the batch.", domain="external")
            error.partly_sent = True
            raise error
        if fault == "wrong":
            raise AdapterError("The address is wrong.")
        return refused

    def close(self) -> None:
        self.closed += 1


class Line:
    """A delivery to a receiver, with a clock of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.receiver, self.now = folder, Receiver(), 0
        self.begin()

    def begin(self) -> None:
        """Start another process, which knows only the content of the disk."""
        source = DeliverySource("b", self.folder)
        self.delivery = Delivery(source, TARGET, lambda _columns: self.receiver, lambda: self.now, random.Random(1))

    def settle(self) -> None:
        for _ in range(1_000):
            wait_s = self.delivery.step()
            if wait_s == inf or (wait_s and self.delivery.observed.state == "current"):
                return
            self.now += int(wait_s * S) + 1
        raise AssertionError("it never settles")

    @property
    def refused(self) -> list[int]:
        """The numbers in the refused requests, oldest first."""
        numbers: list[int] = []
        for each in reversed(stored_refused(self.folder, "one")):
            rows = refused_rows(self.folder, "one", each.number, each.part)
            assert rows is not None
            assert len(rows) == each.row_count
            numbers += [row["payload"]["n"] for row in rows]
        return numbers


EVENTS = st.one_of(
    st.tuples(st.just("batch"), st.lists(st.integers(0, 3), min_size=0, max_size=3)),
    st.tuples(st.sampled_from(["before", "after", "step", "merge", "kill", "wait"]), st.none()),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(EVENTS, max_size=25), st.integers(1, 4), st.booleans())
def test_every_row_arrives_or_is_stored_whatever_fails_and_when(events: list[tuple], most: int, odd: bool) -> None:  # type: ignore[type-arg]
    with TemporaryDirectory() as made, pytest.MonkeyPatch.context() as patch:
        patch.setattr(delivery, "SENT_ROWS", most)
        line, number, written = Line(Path(made)), 0, 0
        line.receiver.refuses_odd = odd
        for name, sizes in events:
            if name == "batch":
                number += 1
                ends = [written + sum(sizes[: i + 1]) for i in range(len(sizes))]
                commit(
                    line.folder, number, [list(range(end - size, end)) for end, size in zip(ends, sizes, strict=True)]
                )
                written += sum(sizes)
            elif name in {"before", "after"}:
                line.receiver.faults.append(name)
            elif name == "merge" and (line.folder / "commits").is_dir():
                merge(line.folder)
            elif name == "kill":
                line.begin()
            elif name == "wait":
                line.now += 400 * S
            line.delivery.step()
        line.receiver.faults.clear()
        line.settle()
        first = list(dict.fromkeys(line.receiver.rows))
        assert first == [n for n in range(written) if not (odd and n % 2)], "a row was lost or out of order"
        assert line.refused == ([n for n in range(written) if n % 2] if odd else [])
        seen = line.delivery.observed
        assert (seen.state, seen.waiting_rows, seen.refused_requests) == ("current", 0, len(line.refused))


def test_only_the_batch_without_an_answer_is_sent_again(tmp_path: Path) -> None:
    for number in range(1, 6):
        commit(tmp_path, number, [[number]])
    line = Line(tmp_path)
    line.receiver.faults = ["", "", "after"]
    line.delivery.step()
    assert line.receiver.rows == [1, 2, 3]
    mark = read_mark(tmp_path, "one")
    assert mark is not None
    assert mark.delivered == 2
    line.begin()
    line.settle()
    assert line.receiver.rows == [1, 2, 3, 3, 4, 5]


def test_a_retry_waits_as_long_as_the_receiver_asks(tmp_path: Path) -> None:
    commit(tmp_path, 1, [[1]])
    line = Line(tmp_path)
    line.receiver.faults = ["before"]
    assert line.delivery.step() == 50.0
    line.now += 49 * S
    line.delivery.step()
    assert line.receiver.rows == []
    line.settle()
    assert line.receiver.rows == [1]


def test_with_too_many_refused_it_waits_until_they_are_put_aside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delivery, "MOST_REFUSED", 2)
    for number in range(1, 6):
        commit(tmp_path, number, [[number * 2 - 1]])
    line = Line(tmp_path)
    line.receiver.refuses_odd = True
    line.settle()
    seen = line.delivery.observed
    assert (seen.state, seen.domain, seen.delivered, seen.refused_requests) == ("stopped", "user", 2, 2)
    assert "has refused 2 requests" in str(seen.message)
    assert line.refused == [1, 3]
    forget_refused(tmp_path, "one", stored_refused(tmp_path, "one"))
    line.begin()
    line.settle()
    assert (line.refused, line.delivery.observed.delivered) == ([5, 7], 4)


def test_refused_requests_are_deleted_with_their_output_and_a_damaged_one_is_reported(tmp_path: Path) -> None:
    commit(tmp_path, 1, [[1]])
    line = Line(tmp_path)
    line.receiver.refuses_odd = True
    line.settle()
    [path] = refused_folder(tmp_path, "one").iterdir()
    path.write_text("{")
    [request] = stored_refused(tmp_path, "one")
    assert (request.number, request.part, request.row_count) == (1, 0, 0)
    assert "is damaged" in request.reason
    assert refused_rows(tmp_path, "one", 2, 0) is None
    forget_mark(tmp_path, "one")
    assert stored_refused(tmp_path, "one") == []
    assert refused_requests.count_refused(tmp_path, "one") == 0


@pytest.mark.parametrize(("fault", "closed"), [("before", 0), ("partly", 0), ("wrong", 1)])
def test_the_adapter_stays_open_after_an_external_error(tmp_path: Path, fault: str, closed: int) -> None:
    commit(tmp_path, 1, [[1]])
    line = Line(tmp_path)
    line.receiver.faults = [fault]
    line.delivery.step()
    assert line.receiver.closed == closed


def test_the_pause_stays_short_while_parts_of_a_batch_arrive(tmp_path: Path) -> None:
    commit(tmp_path, 1, [[1]])
    line = Line(tmp_path)
    line.receiver.faults = ["partly"] * 20
    for _ in range(20):
        wait_s = line.delivery.step()
        assert 0 < wait_s <= backoff.FIRST_S
        line.now += int(wait_s * S) + 1
    line.settle()


def test_the_pause_starts_short_after_a_batch_that_arrived(tmp_path: Path) -> None:
    commit(tmp_path, 1, [[1]])
    line = Line(tmp_path)
    line.receiver.faults = ["after"] * 8
    for _ in range(8):
        line.now += int(line.delivery.step() * S) + 1
    for number in (2, 3):
        commit(tmp_path, number, [[number]])
    line.receiver.faults = ["", "after"]
    assert 0 < line.delivery.step() <= backoff.FIRST_S
