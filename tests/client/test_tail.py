"""Following results: each row once, in order, from the requested start to the requested end."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.storage import results as wire
from tests.client.conftest import Pauses, Punctual, Results
from tests.conftest import ROOT
from tests.webapp.conftest import Person
from webapp.client import tail as tailing
from webapp.client.outcomes import CommandFailure
from webapp.client.runs import PATIENCE
from webapp.client.server import ApiServer
from webapp.core.context import organisation_context
from webapp.runs.models import Run

FOLLOW = ("tail", "watch", "--json")


def numbers(lines: list[Any]) -> list[int]:
    return [line["payload"]["n"] for line in lines]


def small_pages(monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    monkeypatch.setattr(tailing, "PAGE", rows)
    monkeypatch.setattr(tailing, "FIRST_PAGE", rows)


def end(person: Person, run: str, observed: str = "stopped", message: str | None = None) -> None:
    with organisation_context(person.organisation.pk):
        ended = Run.objects.get(pk=run).changed_at
        Run.objects.filter(pk=run).update(observed=observed, message=message, ended_at=ended)


def test_from_the_start_every_row_comes_once_and_in_order(
    punctual: Punctual, run: str, results: Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_pages(monkeypatch, 4)
    for sizes in ((3, 0, 5), (1,), (0,), (7, 2)):
        results.write(*sizes)
    ended = punctual("tail", "watch", "--from-start", "--no-follow", "--json")
    assert (ended.code, numbers(ended.lines)) == (0, list(range(18)))


def test_a_row_that_is_not_whole_says_so(punctual: Punctual, run: str, results: Results) -> None:
    results.write(1, incomplete=True)
    results.write(1)
    ended = punctual("tail", "watch", "--from-start", "--no-follow")
    assert [line.endswith("(incomplete)") for line in ended.out.splitlines()] == [True, False]


def test_the_rows_of_a_run_are_its_own_and_all_runs_are_a_choice(
    punctual: Punctual, run: str, results: Results, alice: Person
) -> None:
    results.write(3)
    end(alice, run)
    second = alice.post(f"bindings/{results.folder.name}/start/").json()["id"]
    results.write(2)
    for asked, printed in ((run, [0, 1, 2]), (second, [3, 4]), ("watch", [3, 4])):
        assert numbers(punctual("tail", asked, "--from-start", "--no-follow", "--json").lines) == printed
    all_runs = punctual("tail", "watch", "--from-start", "--no-follow", "--all-runs", "--json").lines
    assert [(line["payload"]["n"], line["run"]) for line in all_runs] == [
        (0, run),
        (1, run),
        (2, run),
        (3, second),
        (4, second),
    ]
    lines = punctual("tail", run, "--from-start", "--no-follow", "--all-runs").out.splitlines()
    assert [line.split()[0] for line in lines] == [run] * 3 + [second] * 2


def test_the_newest_rows_come_first_of_all_and_then_what_follows(
    punctual: Punctual, run: str, results: Results, pauses: Pauses
) -> None:
    results.write(25)
    pauses.set(lambda: results.write(2, 1), lambda: None, lambda: results.write(4))
    ended = punctual(*FOLLOW)
    assert (ended.code, numbers(ended.lines)) == (0, list(range(15, 32)))


def test_more_rows_than_a_page_between_two_looks_leave_no_gap(
    punctual: Punctual, run: str, results: Results, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_pages(monkeypatch, 3)
    results.write(1)
    pauses.set(lambda: [results.write(2, 5), results.write(4)], lambda: results.write(10))
    ended = punctual(*FOLLOW)
    assert numbers(ended.lines) == list(range(22))


def test_rows_that_arrive_while_pages_are_read_come_once(
    punctual: Punctual, run: str, results: Results, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_pages(monkeypatch, 3)
    results.write(11)
    read = tailing.patiently
    arriving: Iterator[int] = iter([2, 4, 1])

    def meanwhile(work: Any, path: str, **query: object) -> Any:
        page = read(work, path, **query)
        if path.endswith("results/"):
            size = next(arriving, None)
            if size is not None:
                results.write(size)
        return page

    monkeypatch.setattr(tailing, "patiently", meanwhile)
    pauses.set(lambda: None)
    ended = punctual(*FOLLOW, "--from-start")
    assert numbers(ended.lines) == list(range(18))


def test_a_limit_ends_it(punctual: Punctual, run: str, results: Results) -> None:
    results.write(30)
    ended = punctual(*FOLLOW, "--from-start", "--limit", "7")
    assert (ended.code, numbers(ended.lines)) == (0, list(range(7)))


def test_a_run_that_ended_ends_it_after_its_last_row(
    punctual: Punctual, run: str, results: Results, pauses: Pauses, alice: Person
) -> None:
    results.write(2)
    pauses.set(lambda: [results.write(1), end(alice, run)])
    ended = punctual("tail", run, "--json")
    assert (ended.code, numbers(ended.lines)) == (0, [0, 1, 2])


def test_a_run_that_failed_ends_it_with_1_and_its_sentence(punctual: Punctual, run: str, alice: Person) -> None:
    end(alice, run, "failed", "The stream is gone.")
    ended = punctual("tail", "watch")
    assert (ended.code, "The stream is gone." in ended.err) == (1, True)


def test_a_failure_is_the_last_line_of_json_lines(
    punctual: Punctual, run: str, results: Results, alice: Person
) -> None:
    results.write(2)
    end(alice, run, "failed", "The stream is gone.")
    ended = punctual(*FOLLOW)
    assert (ended.code, numbers(ended.lines[:-1])) == (1, [0, 1])
    assert ended.lines[-1]["error"]["message"] == "The run failed: The stream is gone."


def test_rows_that_lie_far_behind_batches_without_rows_are_found(
    punctual: Punctual, run: str, results: Results, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("streaming.storage.results.MAX_COMMITS_A_PAGE", 2)
    results.write(25)
    for _ in range(5):
        results.write(0)
    pauses.set(lambda: results.write(1), lambda: [results.write(0) for _ in range(5)], lambda: results.write(1))
    ended = punctual(*FOLLOW)
    assert (ended.code, numbers(ended.lines)) == (0, list(range(15, 27)))


def test_rows_for_people_say_output_lifetime_and_values(punctual: Punctual, run: str, results: Results) -> None:
    results.write(2)
    ended = punctual("tail", "watch", "--no-follow")
    assert ended.out.splitlines()[1] == "out  1970-01-01T00:00:01Z .. infinity  n=1"


def absent_for(monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Send the given number of reads of results to an address where nobody listens."""
    get, left = ApiServer.get, [None] * count

    def get_or_miss(self: ApiServer, path: str, **query: object) -> Any:
        if path.endswith("results/") and left:
            left.pop()
            return get(ApiServer(replace(self.account, address="http://127.0.0.1:1")), path, **query)
        return get(self, path, **query)

    monkeypatch.setattr(ApiServer, "get", get_or_miss)


def test_a_server_that_comes_back_is_waited_for(
    punctual: Punctual, run: str, results: Results, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    results.write(1)
    absent_for(monkeypatch, 2)
    pauses.set(lambda: None, lambda: results.write(1))
    ended = punctual(*FOLLOW, "--organisation", "acme")
    assert (ended.code, numbers(ended.lines)) == (0, [0, 1])
    assert ended.err.count("Trying again.") == 1


def test_a_server_that_stays_away_is_6(
    punctual: Punctual, run: str, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent_for(monkeypatch, PATIENCE + 1)
    pauses.set(*[lambda: None] * PATIENCE)
    assert punctual(*FOLLOW, "--organisation", "acme").code == 6


@pytest.mark.parametrize(
    ("ticks", "text"),
    [
        (None, "infinity"),
        (0, "1970-01-01T00:00:00Z"),
        (-1, "1969-12-31T23:59:59.999999Z"),
        (1_500_000, "1970-01-01T00:00:01.500000Z"),
        (-(10**18), str(-(10**18))),
        (10**30, str(10**30)),
    ],
)
def test_an_instant_is_iso_text_or_outside_the_calendar_the_ticks(ticks: int | None, text: str) -> None:
    assert tailing.instant(ticks) == text


@pytest.mark.parametrize("id_", ["", "a", "1-a", "-1", "1--2"])
def test_ids_of_another_kind_end_it(id_: str) -> None:
    with pytest.raises(CommandFailure):
        tailing.place_of({"id": id_})


def follower(as_alice: dict[str, str], *argv: str) -> "subprocess.Popen[str]":
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("PUNCTUAL_")}, **as_alice}
    command = [sys.executable, "-m", "webapp.client", *argv]
    return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_ctrl_c_ends_a_follower_with_0(as_alice: dict[str, str], run: str, results: Results) -> None:
    results.write(3)
    with follower(as_alice, *FOLLOW) as process:
        assert process.stdout is not None
        seen = [json.loads(process.stdout.readline()) for _ in range(3)]
        results.write(1)
        seen.append(json.loads(process.stdout.readline()))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")
    assert numbers(seen) == [0, 1, 2, 3]


def test_a_reader_that_has_seen_enough_ends_it_quietly(as_alice: dict[str, str], run: str, results: Results) -> None:
    results.write(2_000)
    with follower(as_alice, *FOLLOW, "--from-start", "--no-follow") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert (process.wait(timeout=30), process.stderr.read()) == (0, "")


@given(
    batches=st.lists(st.lists(st.integers(0, 3), max_size=2), max_size=8),
    limit=st.integers(1, 4),
    commits=st.integers(2, 4),
    seen=st.integers(0, 20),
)
def test_pages_of_any_size_give_each_newer_row_once_and_in_order(
    batches: list[list[int]], limit: int, commits: int, seen: int
) -> None:
    with TemporaryDirectory() as folder, patch.object(wire, "MAX_COMMITS_A_PAGE", commits):
        results = Results(Path(folder), lambda: None)
        for sizes in batches:
            results.write(*sizes)

        def pages(before: str | None) -> dict[str, Any]:
            page = wire.committed_rows(Path(folder), "results", limit, before)
            return {"rows": [{**row, "id": row["_id"]} for row in page.rows], "next": page.next}

        every = list(tailing.newer(pages, ()))
        assert numbers(every) == list(range(results.count))
        last = tailing.place_of(every[min(seen, len(every)) - 1]) if every and seen else ()
        assert numbers(list(tailing.newer(pages, last))) == list(range(results.count))[min(seen, len(every)) :]
        assert numbers(list(tailing.newer(pages, (), 5))) == list(range(results.count))[-5:]
