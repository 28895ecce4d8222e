"""The push adapter: each row once in the order of the inbox, however it was pushed and is read."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streaming.adapters import stored_lines
from streaming.adapters.contract import AdapterError, BoundedAdapter, InputAdapter, ReplayingAdapter
from streaming.adapters.push import adapter as pushed
from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.adapters.registry import input_adapter
from streaming.definition.streams.stream import StreamDefinition
from streaming.wire.rows.arrived_rows import elements
from streaming.wire.rows.row_json import read_row

STREAM = StreamDefinition(fields={"n": "long"})
LINES = st.lists(
    st.one_of(
        st.integers(0, 10**6).map(lambda n: {"start": n, "n": n}),
        st.integers(0, 10**6).map(lambda at: {"cti": at}),
        st.just({"start": "never", "n": 1}),
        st.just({"start": 1, "n": "no number"}),
    ),
    min_size=1,
    max_size=40,
)


def inbox_of(root: Path, batches: list[list[dict[str, Any]]], most: int = 1 << 30) -> PushInbox:
    inbox = PushInbox.of(root / "files", "cars")
    for batch in batches:
        body = b"".join(json.dumps(row).encode() + b"\n" for row in batch)
        inbox.accept(body, len(batch), batch=None, now=0, limits=InboxLimits(most, 7))
    return inbox


def reader(root: Path, journal: str | None = None) -> InputAdapter:
    return input_adapter("push", {"inbox": "cars"}, STREAM, root / "files", root / journal if journal else None)


def rows(adapter: InputAdapter, start: int, end: int) -> list[object]:
    return [element for chunk in adapter.read("0", start, end) for element in elements(chunk)]


@given(
    batches=st.lists(LINES, min_size=1, max_size=6), cuts=st.sets(st.integers(0, 240)), together=st.integers(1, 4_000)
)
@settings(max_examples=40, deadline=None)
def test_every_cut_gives_the_rows_that_were_pushed(
    tmp_path_factory: pytest.TempPathFactory, batches: list[list[dict[str, Any]]], cuts: set[int], together: int
) -> None:
    root = tmp_path_factory.mktemp("push")
    inbox_of(root, batches)
    sent = list(itertools.chain(*batches))
    ends = sorted({0, len(sent), *(cut for cut in cuts if cut < len(sent))})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_lines, "CHUNK_BYTES", together)
        found = [row for low, high in itertools.pairwise(ends) for row in rows(reader(root), low, high)]
    wanted = [row if "cti" in row else {"start": row["start"], "payload": {"n": row["n"]}} for row in sent]
    assert found == [read_row(row, STREAM) for row in wanted]


def test_a_batch_ends_by_rows_and_by_bytes_and_the_input_never_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbox_of(tmp_path, [[{"start": n, "n": n}] * 10 for n in range(4)])
    adapter = reader(tmp_path)
    assert adapter.latest({}, now=0, limit_rows=15) == {"0": 15}
    assert adapter.latest({"0": 30}, now=0, limit_rows=15) == {"0": 40}
    assert not adapter.finished({"0": 40})
    assert isinstance(adapter, BoundedAdapter)
    assert adapter.bounds({}) == {}
    monkeypatch.setattr(pushed, "BATCH_BYTES", 1)
    assert adapter.bounds({"0": 12}) == {"0": 20}, "a push is read whole, however large"
    assert adapter.bounds({"0": 30}) == {}


def test_a_new_reader_starts_at_the_oldest_row_and_lost_rows_raise_an_error(tmp_path: Path) -> None:
    batch = [{"start": n, "n": n} for n in range(100)]
    inbox = inbox_of(tmp_path, [batch])
    late = reader(tmp_path, "late")
    late.latest({"0": 40}, now=0, limit_rows=10)
    much = inbox.state().stored + 10
    week_later = 8 * 24 * 3_600 * 1_000_000
    reader(tmp_path, "ahead").latest({"0": 100}, now=week_later, limit_rows=1)
    body = b"".join(json.dumps(row).encode() + b"\n" for row in batch)
    inbox.accept(body, 100, batch=None, now=week_later, limits=InboxLimits(much, 7))
    assert inbox.state().oldest == 100
    with pytest.raises(AdapterError, match="no longer holds the rows 40 to 100"):
        late.latest({"0": 40}, now=week_later, limit_rows=10)
    anew = reader(tmp_path, "anew")
    assert anew.latest({}, now=week_later, limit_rows=10) == {"0": 110}
    assert rows(anew, 0, 110) == rows(anew, 100, 110) != []
    assert isinstance(anew, ReplayingAdapter)
    spans = ((0, 10), (0, 110), (100, 200), (100, 201))
    assert [anew.holds("0", *span) for span in spans] == [True, True, True, False], "it started at row 100"
    assert isinstance(late, ReplayingAdapter)
    assert [late.holds("0", *span) for span in spans] == [False, False, True, False], "it had started before"


def test_rows_deleted_since_they_were_read_are_not_held(tmp_path: Path) -> None:
    batch = [{"start": n, "n": n} for n in range(100)]
    inbox = inbox_of(tmp_path, [batch, batch])
    begun = reader(tmp_path, "begun")
    for reached in (0, 100, 200):
        begun.latest({"0": reached}, now=0, limit_rows=100)
    assert isinstance(begun, ReplayingAdapter)
    assert begun.holds("0", 0, 200)
    body = b"".join(json.dumps(row).encode() + b"\n" for row in batch)
    inbox.accept(body, 100, batch=None, now=0, limits=InboxLimits(inbox.state().stored, 7))
    assert inbox.state().oldest == 100
    assert [begun.holds("0", low, 300) for low in (0, 99, 100)] == [False, False, True]
    begun.latest({}, now=0, limit_rows=10)
    assert not begun.holds("0", 0, 300), "its first start position is kept"


def test_a_recreated_inbox_raises_an_error(tmp_path: Path) -> None:
    inbox_of(tmp_path, [[{"start": 1, "n": 1}]])
    with pytest.raises(AdapterError, match="holds 1 row, but 5 were already read"):
        reader(tmp_path).latest({"0": 5}, now=0, limit_rows=10)


def test_a_name_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    with pytest.raises(AdapterError, match="inbox"):
        input_adapter("push", {"inbox": "../x"}, STREAM, tmp_path / "files")
