"""A pooled runner on Spark: many organisations in one process, each as if it were alone; and the ways in and out."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from streaming.runtime.binding_locations import NOWHERE, BindingLocations
from streaming.wire import keys
from streaming.wire.binding_homes import CARRIERS, apart_in, home_of, pools_of
from streaming.wire.messages import RunLimits, RunSpec
from tests.adapters.installing import TROUBLE, package_installed
from tests.bench import density
from tests.runtime.process import OrganisationMail, PoolProcess, RunnerProcess
from tests.spark.loop import Loop
from tests.spark.test_loop import add
from tests.spark.test_on_spark import rows
from tests.spark.test_token_bucket import file_spec, write_lines

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

ROWS = 400
ONE, TWO = "o-1", "o-2"
BEGINS = 1_000_000_000
"""Ticks: a long time ago."""
SLOWLY = ("--min-interval-s", "0.5")


def of(organisation: str, run: str, path: str = "lines.jsonl") -> RunSpec:
    """Every organisation has a binding a."""
    return readings(path, run).model_copy(update={"organisation": organisation})


def readings(path: str = "lines.jsonl", run: str = "1", binding: str = "a") -> RunSpec:
    content = json.loads(file_spec(binding, path, run).model_dump_json())
    content["inputs"]["readings"]["stream"]["event_time"] = {"start": {"column": "at", "unit": "us"}}
    return RunSpec.model_validate_json(json.dumps(content))


@pytest.fixture
def expected(tmp_path: Path) -> tuple[list[str], list[str]]:
    home = tmp_path / "undisturbed"
    home.mkdir()
    write_lines(home / "lines.jsonl", ROWS)
    loop = Loop(home)
    add(loop, readings())
    loop.run()
    found = rows(home, "a")
    assert min(map(len, found)) > ROWS // 10
    return found


@pytest.fixture
def mails(tmp_path: Path, redis_server_url: str) -> dict[str, OrganisationMail]:
    """Both may read so few rows each second that there is time to do something meanwhile."""
    found = {each: OrganisationMail(tmp_path, each, redis_server_url) for each in (ONE, TWO)}
    for mail in found.values():
        mail.files.mkdir(parents=True)
        write_lines(mail.files / "lines.jsonl", ROWS)
        mail.connection.set(keys.limits(mail.organisation), RunLimits(events_per_second=20).model_dump_json())
    return found


@pytest.fixture
def pool(tmp_path: Path, redis_server_url: str) -> Iterator[PoolProcess]:
    found = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY)
    yield found
    found.end()


@pytest.fixture
def own(tmp_path: Path, redis_server_url: str) -> Iterator[RunnerProcess]:
    found = RunnerProcess(tmp_path, ONE, redis_server_url, *SLOWLY)
    yield found
    if found.process is not None:
        found.end()


def log_of(mail: OrganisationMail) -> str:
    return (mail.folder / "logs" / "runner.log").read_text()


def test_two_organisations_in_a_pool_that_is_killed_give_what_each_gives_alone_and_hear_nothing_of_each_other(
    pool: PoolProcess, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    lost = readings("nowhere.jsonl", "lost", "b")
    pool.serve(ONE, TWO)
    one.desire(of(ONE, "run-of-one"))
    two.desire(of(TWO, "run-of-two"), lost.model_copy(update={"organisation": TWO}))
    pool.start()
    pool.wait_until(lambda: min(one.batch("run-of-one"), two.batch("run-of-two")) > 3, "both have read")
    assert pool.process is not None
    leases = [one.lease(), two.lease()]
    assert [lease and lease.pid for lease in leases] == [pool.process.pid] * 2
    pool.wait_until(lambda: two.state("lost") == "failed", "the one without a file is told so")
    assert one.observed("lost") is None

    pool.kill()
    pool.start()
    for mail, run in ((one, "run-of-one"), (two, "run-of-two")):
        pool.wait_until(lambda mail=mail, run=run: mail.state(run) == "completed", f"{run} ends")  # type: ignore[misc]
        assert rows(mail.folder, "a") == expected
    assert "run-of-one" in log_of(one)
    assert "nowhere.jsonl" in log_of(two)
    assert not [word for word in (TWO, "run-of-two", "nowhere") if word in log_of(one)]
    assert not [word for word in (ONE, "run-of-one") if word in log_of(two)]
    assert not [word for word in ("run-of-one", "run-of-two", "nowhere") if word in pool.log_end()]
    assert pool.end() == 0
    assert [one.lease(), two.lease()] == [None, None]


def test_an_organisation_goes_from_its_own_runner_to_the_pool_and_back_without_a_gap(
    own: RunnerProcess,
    pool: PoolProcess,
    mails: dict[str, OrganisationMail],
    expected: tuple[list[str], list[str]],
) -> None:
    one, two = mails.values()
    one.desire(of(ONE, "1"))
    own.start()
    own.wait_until(lambda: one.batch("1") > 2, "it reads in its own runner")
    pool.serve(ONE, TWO)
    two.desire(of(TWO, "2"))
    pool.start()
    assert own.process is not None
    assert own.process.wait(60) == 0
    left_at = one.batch("1")
    pool.wait_until(lambda: one.batch("1") > left_at + 3, "it reads in the pool")
    assert pools_of(one.folder) == {"pool-1"}

    one.connection.set(keys.place(ONE), keys.OWN)
    pool.wait_until(lambda: not pools_of(one.folder), "its savepoint is there")
    pool.kill()
    pool.start()
    pool.wait_until(lambda: "no longer carried by pool-1" in log_of(one), "the pool has let it go")
    pool.serve(TWO)
    pool.wait_until(lambda: one.lease() is None, "and says so")
    assert BindingLocations(one.folder / CARRIERS).of("a") == NOWHERE
    own.start()
    own.wait_until(lambda: one.state("1") == "completed", "it ends in its own runner")
    pool.wait_until(lambda: two.state("2") == "completed", "the other one ends in the pool")
    assert rows(one.folder, "a") == rows(two.folder, "a") == expected
    manifest = max((pool.folder / CARRIERS / "main" / "commits").iterdir(), key=lambda path: int(path.stem))
    assert ONE not in json.dumps(json.loads(manifest.read_text().splitlines()[0])["bindings"])


def test_no_runner_of_its_own_carries_what_a_pool_keeps(
    own: RunnerProcess, pool: PoolProcess, mails: dict[str, OrganisationMail]
) -> None:
    one = mails[ONE]
    pool.serve(ONE)
    one.desire(of(ONE, "1"))
    pool.start()
    pool.wait_until(lambda: one.batch("1") > 1, "it reads in the pool")
    pool.kill()
    own.start()
    assert own.process is not None
    assert own.process.wait(60) == 3
    assert "none but it may carry its runs" in own.log_end()


def troubled(organisation: str, rows: int) -> RunSpec:
    """A binding of so many generated rows, whose reading hangs while the organisation's files have one called so."""
    content = json.loads(density.spec("t").model_dump_json())
    options = {"rate": 20, "devices": 4, "late_share": 0.2, "started_at": BEGINS, "total_rows": rows}
    content["inputs"]["cars"]["adapter"] = {"kind": "trouble", "options": options}
    content["query"]["nodes"][1]["aggregates"].pop()  # sums of fractions differ in their last digit by how rows are cut
    return RunSpec.model_validate_json(json.dumps(content | {"organisation": organisation}))


def flooding(organisation: str) -> RunSpec:
    """A binding of more rows than a pool can read."""
    content = json.loads(density.spec("flood").model_dump_json())
    content["inputs"]["cars"]["adapter"]["options"] |= {"rate": 1_000_000, "started_at": BEGINS}
    return RunSpec.model_validate_json(json.dumps(content | {"organisation": organisation}))


def test_what_hangs_goes_on_apart_and_comes_back_and_all_have_the_rows_of_an_undisturbed_run(
    tmp_path: Path, redis_server_url: str, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    hang = two.files / "hang"
    with package_installed(tmp_path / "package", TROUBLE):
        home = tmp_path / "untroubled"
        loop = Loop(home)
        loop.clock = 2 * BEGINS  # all rows are due
        add(loop, troubled(TWO, ROWS))
        loop.run()
        pool = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY, "--apart-s", "3")
        try:
            pool.serve(ONE, TWO)
            one.desire(of(ONE, "1"))
            two.desire(troubled(TWO, ROWS))
            pool.start()
            pool.wait_until(lambda: two.batch("t-1") > 3, "it reads with all others")
            hang.touch()
            pool.wait_until(lambda: home_of(two.folder, "t") == apart_in("pool-1"), "it is apart")
            hang.unlink()
            pool.wait_until(lambda: two.state("t-1") == "running", "it runs there")
            pool.wait_until(lambda: home_of(two.folder, "t") == "pool-1", "it is back")
            left_at = two.batch("t-1")
            pool.wait_until(lambda: two.batch("t-1") > left_at, "it reads with all others again")
            pool.wait_until(lambda: one.state("1") == two.state("t-1") == "completed", "both end")
        finally:
            pool.end()
    assert rows(one.folder, "a") == expected
    assert rows(two.folder, "t") == rows(home, "t")
    assert "goes on apart from its pool" in log_of(two)
    assert "t-1" not in log_of(one)


def test_dedicated_queries_that_hang_take_no_task_from_the_shared_ones(
    tmp_path: Path, redis_server_url: str, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    with package_installed(tmp_path / "package", TROUBLE):
        alone = [
            troubled(TWO, ROWS).model_copy(
                update={"binding": each, "run": each, "results": f"results/{each}", "dedicated": True}
            )
            for each in ("t1", "t2", "t3", "t4")
        ]
        pool = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY)
        try:
            pool.serve(ONE, TWO)
            two.desire(*alone)
            pool.start()
            pool.wait_until(lambda: all(two.batch(each.run) > 0 for each in alone), "all four read")
            (two.files / "hang").touch()
            one.desire(of(ONE, "1"))
            pool.wait_until(lambda: one.state("1") == "completed", "who behaves comes to the end")
            hung = {each.run: two.batch(each.run) for each in alone}
            (two.files / "hang").unlink()
        finally:
            pool.end()
    assert rows(one.folder, "a") == expected
    assert max(hung.values()) < ROWS


def test_who_fails_each_batch_and_who_floods_takes_nothing_from_others(
    tmp_path: Path, redis_server_url: str, mails: dict[str, OrganisationMail], expected: tuple[list[str], list[str]]
) -> None:
    one, two = mails.values()
    three = OrganisationMail(tmp_path, "o-3", redis_server_url)
    three.files.mkdir(parents=True)
    fail = two.files / "fail"
    fail.touch()
    with package_installed(tmp_path / "package", TROUBLE):
        pool = PoolProcess(tmp_path, 1, redis_server_url, *SLOWLY)
        try:
            pool.serve(ONE, TWO, three.organisation)
            three.desire(flooding(three.organisation))
            one.desire(of(ONE, "1"))
            pool.start()
            for run in ("t-1", "t-2", "t-3"):
                two.desire(troubled(TWO, ROWS).model_copy(update={"run": run}))
                pool.wait_until(lambda run=run: two.state(run) == "failed", "it fails")  # type: ignore[misc]
            pool.wait_until(lambda: one.state("1") == "completed", "who behaves comes to the end")
            assert three.progress("flood-1").inputs["cars"].received > 100 * ROWS
        finally:
            pool.end()
    assert rows(one.folder, "a") == expected
