"""Limited processes: each limit ends one with a sentence, none knows a secret, and none outlives who asked for it."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from streaming.definition.streams.stream import StreamDefinition
from tests.webapp.conftest import POINTS, Person
from webapp.core.context import organisation_context
from webapp.core.errors import Busy, ClientGone, Overloaded, TooMuchWork
from webapp.core.limited import running
from webapp.core.limited.disconnects import DisconnectHandler, answered_until
from webapp.core.limited.jobs import TYPING, Job
from webapp.core.limited.places import PLACES, place
from webapp.queries import jobs

STREAMS = {"cars": StreamDefinition.model_validate(POINTS)}
TEXT = "QUERY q;\nINSERT INTO out SELECT STREAM * FROM cars WHERE speed > 120;\n"


def long_text(nodes: int = 180) -> str:
    """Return a query that takes seconds to check: a long chain of filters."""
    where = " AND ".join(["speed > 1"] * 70)
    steps = [f"n{at} AS (SELECT STREAM * FROM {f'n{at - 1}' if at else 'cars'} WHERE {where})" for at in range(nodes)]
    return f"QUERY q;\nWITH {', '.join(steps)} INSERT INTO out SELECT STREAM * FROM n{nodes - 1};\n"


LONG = long_text()
WIDE = {"version": 1, "name": "q", "nodes": [{"kind": "input", "id": "x" * (40 << 20), "stream": "cars"}]}
"""A graph with a fault whose sentence takes new memory, whatever the process that forks the others has to spare."""


def forking() -> psutil.Process:
    """The process that forks the limited ones."""
    running.warm_up()
    assert running._server._process is not None
    return psutil.Process(running._server._process.pid)


def test_what_a_process_finds_comes_back_as_it_was() -> None:
    found, here = jobs.examined_text(TEXT, STREAMS), jobs.examined_text.function(TEXT, STREAMS)
    assert (found.graph, found.schemas, list(found.faults)) == (here.graph, here.schemas, list(here.faults))


@pytest.mark.parametrize(
    ("check", "checked", "most", "sentence"),
    [
        (jobs.examined_text, LONG, {"cpu_s": 0, "wall_s": 60}, "takes more than 0 s of processor time"),
        (jobs.graph_faults, WIDE, {"memory_bytes": 1024**2}, "takes more than 1 MiB of memory"),
        (jobs.examined_text, LONG, {"output_bytes": 100, "wall_s": 120}, "gives more than 0 MiB"),
    ],
    ids=["processor", "memory", "output"],
)
def test_each_limit_ends_the_work_with_a_sentence(
    check: Job[..., Any], checked: Any, most: dict[str, Any], sentence: str
) -> None:
    job = replace(check, limits=replace(TYPING, **most))
    with pytest.raises(TooMuchWork) as refused:
        job(checked, STREAMS)
    assert refused.value.message == (
        f"The check of this query {sentence}, which is the limit. Make the query smaller, or split it into several."
    )


def test_a_missing_answer_is_blamed_on_the_load_and_not_on_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    server = forking()
    monkeypatch.setattr(running, "STARTS_WITHIN_S", 0.1)
    job = replace(jobs.examined_text, limits=replace(TYPING, wall_s=0.1))
    server.suspend()
    try:
        with pytest.raises(Overloaded) as refused:
            job(TEXT, STREAMS)
    finally:
        server.resume()
    assert refused.value.message == (
        "The check of this query did not finish, because this server is overloaded. Try again in a minute."
    )


def test_the_time_limit_ends_the_work() -> None:
    job = replace(jobs.examined_text, limits=replace(TYPING, wall_s=0.05))
    with pytest.raises((TooMuchWork, Overloaded)):  # the second if others had the processors
        job(LONG, STREAMS)


def test_valid_work_is_not_refused_because_others_have_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = {"code": -signal.SIGKILL, "cpu_s": 0.2, "wall_s": 10.1, "queued_s": 9.0}
    monkeypatch.setattr(running, "_exchange", lambda *_: (b"", ended))
    with pytest.raises(Overloaded):
        jobs.examined_text(TEXT, STREAMS)
    ended["queued_s"] = 0.1
    with pytest.raises(TooMuchWork, match="takes longer than 10 s, which is the limit"):
        jobs.examined_text(TEXT, STREAMS)


def test_the_end_of_a_process_says_how_long_it_had_no_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, Any]] = []
    exchange = running._exchange

    def exchanged(*given: Any) -> Any:
        answered, ended = exchange(*given)
        seen.append(ended)
        return answered, ended

    monkeypatch.setattr(running, "_exchange", exchanged)
    jobs.examined_text(TEXT, STREAMS)
    assert 0 <= seen[0]["queued_s"] <= seen[0]["wall_s"]


def test_no_process_knows_a_secret_or_has_anything_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PUNCTUAL_SECRET_KEY", "planted" * 10)
    monkeypatch.setenv("DATABASE_URL", "postgresql://planted@127.0.0.1/x")
    running._server.close()
    process = forking()
    jobs.examined_text(TEXT, STREAMS)  # it has imported everything by now
    assert "planted" not in str(process.environ())
    assert process.net_connections() == []
    open_files = {str(each.readlink()) for each in Path(f"/proc/{process.pid}/fd").iterdir()}
    assert not any("sqlite" in each or "redis" in each for each in open_files)


def test_nothing_is_kept_from_one_process_to_the_next() -> None:
    process = forking()
    jobs.examined_text(TEXT, STREAMS)
    before = process.memory_info().rss
    for _ in range(5):
        jobs.examined_text(long_text(5), STREAMS)
    assert process.children() == []
    assert process.memory_info().rss < before + 2**20


def test_work_for_a_client_who_left_is_not_done() -> None:
    gone = DisconnectHandler()
    gone.depart()
    with answered_until(gone), pytest.raises(ClientGone):
        jobs.examined_text(LONG, STREAMS)


def test_a_client_who_leaves_ends_the_work() -> None:
    gone, process = DisconnectHandler(), forking()
    jobs.examined_text(TEXT, STREAMS)

    def asks() -> None:
        with answered_until(gone):
            jobs.examined_text(LONG, STREAMS)

    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(asks)
        while not process.children():
            assert not asked.done()
        gone.depart()
        assert isinstance(asked.exception(), ClientGone)
    psutil.wait_procs(process.children(), timeout=60)
    assert process.children() == []


def test_a_server_of_processes_that_was_killed_is_started_again() -> None:
    process = forking()
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert jobs.examined_text(TEXT, STREAMS).graph is not None
    assert forking().pid != process.pid


def test_an_organisation_has_few_at_once_and_takes_none_from_others(
    alice: Person, charlie: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PLACES, "share", replace(PLACES.share, waits_s=0.01))
    mine, other = alice.organisation.pk, charlie.organisation.pk
    held = [place(mine, TYPING) for _ in range(TYPING.at_once)]
    for each in held:
        each.__enter__()
    refused = alice.post("queries/validate/", {"text": TEXT})
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert "Try again" in refused.json()["message"]
    assert int(refused["Retry-After"]) > 0
    assert charlie.post("queries/validate/", {"text": TEXT}).status_code == 200
    with place(other, TYPING), pytest.raises(Busy), place(other, TYPING):
        raise AssertionError("the last place is for organisations that hold none")
    for each in held:
        each.__exit__(None, None, None)
    assert alice.post("queries/validate/", {"text": TEXT}).status_code == 200


def test_keys_of_others_are_not_known_to_a_process(alice: Person, charlie: Person) -> None:
    from webapp.core.limited.job_environment import JobEnvironment

    with organisation_context(alice.organisation.pk):
        assert JobEnvironment.here(with_keys=False).keys == []
        mine = JobEnvironment.here(with_keys=True).keys
    with organisation_context(charlie.organisation.pk):
        assert not set(mine) & set(JobEnvironment.here(with_keys=True).keys)
