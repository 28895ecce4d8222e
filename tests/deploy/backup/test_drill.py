"""Backup of a live installation and its restore elsewhere, on Spark: rows equal the reference, and nobody is killed."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from deploy.backup.commands import hosts_at
from deploy.backup.restoring import RestoreTarget, restore
from deploy.backup.taking import Installation, take
from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.storage.deliveries_paused import are_paused
from streaming.wire.messages import RunSpec
from tests.conftest import ROOT
from tests.deploy.test_databases import manage
from tests.postgresql import PostgreSQL
from tests.runtime.processes.process import OrganisationMail, PoolProcess, RunnerProcess
from tests.runtime.processes.test_dedicated import BATCHES, undisturbed
from tests.runtime.processes.test_pool import readings
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add
from tests.spark.test_on_spark import rows

pytestmark = [pytest.mark.spark, pytest.mark.thorough]

ALONE = "00000000-0000-4000-8000-00000000000a"
POOLED = "00000000-0000-4000-8000-00000000000b"
KEY, SECRETS = "s" * 50, ["k" * 32]
PUSHED_AT_ONCE = 40
SLOWLY = ("--min-interval-s", "0.3")


def pushed() -> RunSpec:
    content = json.loads(readings().model_dump_json())
    content["inputs"]["readings"]["adapter"] = {"kind": "push", "options": {"inbox": "cars"}}
    content["organisation"] = POOLED
    return RunSpec.model_validate_json(json.dumps(content))


def push(files: Path, first: int) -> None:
    """Push rows number `first` and following; return when they are acknowledged."""
    lines = [
        {"at": number * 3 - (40 if number % 5 == 4 else 0), "device": f"d{number % 2}", "value": number}
        for number in range(first, first + PUSHED_AT_ONCE)
    ]
    content = "".join(json.dumps(line) + "\n" for line in lines).encode()
    limits = InboxLimits(most_bytes=1 << 30, wait_days=1)
    PushInbox.of(files, "cars").accept(content, len(lines), batch=f"b{first}", now=first, limits=limits)


class Site:
    """An installation: a runner of one organisation, a pool with another, their folder and database."""

    def __init__(self, data: Path, database_url: str, redis_url: str) -> None:
        self.data, self.database_url, self.redis_url = data, database_url, redis_url
        self.alone = RunnerProcess(data, ALONE, redis_url, *SLOWLY)
        self.pool = PoolProcess(data, 1, redis_url, *SLOWLY)
        self.pooled = OrganisationMail(data, POOLED, redis_url)

    @property
    def installation(self) -> Installation:
        return Installation(self.data, self.database_url, KEY, SECRETS, hosts_at(self.redis_url))

    @contextmanager
    def running(self) -> Iterator[None]:
        """Carry both runs."""
        self.pool.serve(POOLED)
        self.alone.desire(spec("a", "readings.jsonl"))
        self.pooled.desire(pushed())
        self.alone.start()
        self.pool.start()
        try:
            yield
        finally:
            codes = self.alone.end(), self.pool.end()
        assert codes == (0, 0)

    def wait_for_pushed(self, count: int) -> None:
        def has_come() -> bool:
            read = self.pooled.progress("1").inputs.get("readings") if self.pooled.batch("1") else None
            return read is not None and read.received == count

        self.pool.wait_until(has_come, f"{count} pushed rows")

    def wait_for_end(self) -> None:
        self.alone.wait_until(lambda: self.alone.state("a-1") == "completed", "the input has ended")


def undisturbed_pushes(folder: Path, count: int) -> tuple[list[str], list[str]]:
    home = folder / "home"
    home.mkdir(parents=True)
    for first in range(0, count, PUSHED_AT_ONCE):
        push(home, first)
    loop = Loop(home)
    add(loop, pushed())
    loop.run()
    return rows(home, "a")


@pytest.fixture
def databases(postgresql: PostgreSQL, tmp_path: Path, redis_server_url: str) -> tuple[str, str]:
    """Return the address of a database with all tables, and that of an empty one."""
    urls = []
    for name in ("backed_up", "restored"):
        with closing(psycopg.connect(postgresql.url, autocommit=True)) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name}")
            connection.execute(f"CREATE DATABASE {name}")
        urls.append(f"{postgresql.url.rpartition('/')[0]}/{name}")
    env = {"PUNCTUAL_EMBEDDED": "1", "PUNCTUAL_DATA": str(tmp_path / "settings"), "REDIS_URL": redis_server_url}
    manage({**env, "DATABASE_URL": urls[0]}, "migrate", "--noinput")
    return urls[0], urls[1]


@pytest.fixture
def site(tmp_path: Path, databases: tuple[str, str], redis_server_url: str) -> Site:
    data = tmp_path / "data"
    data.mkdir(mode=0o700)
    site = Site(data, databases[0], redis_server_url)
    write_readings(site.alone.files / "readings.jsonl", BATCHES)
    site.pooled.files.mkdir(parents=True)
    return site


def test_a_live_installation_is_restored_next_to_its_original(
    site: Site, databases: tuple[str, str], tmp_path: Path
) -> None:
    file, lines = tmp_path / "backup", list[str]()
    expected = undisturbed(tmp_path / "undisturbed")
    with site.running():
        site.alone.wait_until(lambda: site.alone.batch("a-1") >= 4, "batch 4")
        push(site.pooled.files, 0)
        site.wait_for_pushed(PUSHED_AT_ONCE)
        push(site.pooled.files, PUSHED_AT_ONCE)  # acknowledged before the cut, and perhaps not read
        take(site.installation, file, with_keys=True, wait_s=60, tell=lines.append)
        assert lines[0].startswith("Runs paused for ")
        assert file.stat().st_mode & 0o777 == 0o600
        before = site.alone.batch("a-1")
        site.alone.wait_until(lambda: site.alone.batch("a-1") > before, "batches after the backup")
        push(site.pooled.files, 2 * PUSHED_AT_ONCE)
        site.wait_for_pushed(3 * PUSHED_AT_ONCE)

        copy = Site(tmp_path / "copy", databases[1], f"{site.redis_url.rpartition('/')[0]}/1")
        target = RestoreTarget(copy.data, copy.database_url, "", [], hosts_at(copy.redis_url))
        restore(target, file, resume=False, results_restored=False, tell=lines.append)
        assert are_paused(copy.data)
        with copy.running():
            copy.wait_for_pushed(2 * PUSHED_AT_ONCE)
            copy.wait_for_end()
        assert rows(copy.alone.folder, "a") == expected
        assert rows(copy.pooled.folder, "a") == undisturbed_pushes(tmp_path / "two", 2 * PUSHED_AT_ONCE)
        site.wait_for_end()  # the copy has ended none of its processes
    assert rows(site.alone.folder, "a") == expected
    assert rows(site.pooled.folder, "a") == undisturbed_pushes(tmp_path / "three", 3 * PUSHED_AT_ONCE)
    with closing(psycopg.connect(databases[1])) as connection:
        [[tables]] = connection.execute("SELECT COUNT(*) FROM django_migrations").fetchall()
    assert tables > 0


STEPS = (
    "deploy.backup.holding.Holding.settle",
    "deploy.backup.cloning.Clone.add",
    "deploy.backup.cloning.Clone.finish",
    "deploy.backup.taking._archive",
    "streaming.storage.archive.ArchiveWriter.add_manifest",
)
KILLED = """
import os, signal, sys
from importlib import import_module
from pathlib import Path
from deploy.backup.commands import hosts_at
from deploy.backup.taking import Installation, take
step, data, database, redis, file = sys.argv[1:]
module, _, name = step.rpartition(".")
try:
    owner = import_module(module)
except ModuleNotFoundError:
    module, _, of = module.rpartition(".")
    owner = getattr(import_module(module), of)
setattr(owner, name, lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL))
of = Installation(Path(data), database, "s" * 50, ["k" * 32], hosts_at(redis))
take(of, Path(file), with_keys=True, wait_s=60, tell=print)
"""


def test_a_backup_that_is_killed_at_any_step_leaves_a_working_installation(site: Site, tmp_path: Path) -> None:
    file = tmp_path / "backup"
    with site.running():
        count = 0
        for step in STEPS:
            words = [step, str(site.data), site.database_url, site.redis_url, str(file)]
            done = subprocess.run(
                [sys.executable, "-c", KILLED, *words], cwd=ROOT, env=dict(os.environ), check=False, capture_output=True
            )
            assert done.returncode == -9, done.stderr.decode()
            assert not file.exists()
            push(site.pooled.files, count)
            count += PUSHED_AT_ONCE
            site.wait_for_pushed(count)
        take(site.installation, file, with_keys=True, wait_s=60, tell=lambda _: None)
        site.wait_for_end()
    assert rows(site.alone.folder, "a") == undisturbed(tmp_path / "undisturbed")
    assert rows(site.pooled.folder, "a") == undisturbed_pushes(tmp_path / "all", count)
    assert sorted(path.name for path in site.data.iterdir() if path.is_file() and path.suffix != ".log") == [
        "backup.lock"
    ]


@pytest.mark.parametrize("results_first", [True, False])
def test_a_copy_of_a_live_folder_file_by_file_is_refused(
    results_first: bool, site: Site, tmp_path: Path, redis_server_url: str
) -> None:
    runner, torn = site.alone, tmp_path / "torn" / ALONE
    parts = ["results", "carriers"] if results_first else ["carriers", "results"]
    torn.mkdir(parents=True)
    runner.desire(spec("a", "readings.jsonl"))
    runner.start()
    runner.wait_until(lambda: runner.batch("a-1") >= 3, "batch 3")
    shutil.copytree(runner.folder / parts[0], torn / parts[0], ignore=shutil.ignore_patterns("*.staged", ".*"))
    reached = runner.batch("a-1") + 3
    runner.wait_until(lambda: runner.batch("a-1") >= reached, "three more batches")
    assert runner.end() == 0  # a quiet second half: the first one alone makes the gap
    for name in (parts[1], "files"):
        shutil.copytree(runner.folder / name, torn / name)
    copy = RunnerProcess(torn.parent, ALONE, redis_server_url, *SLOWLY)
    copy.start()
    try:
        copy.wait_until(lambda: copy.state("a-1") == "failed", "the gap is reported")
        seen = copy.observed("a-1")
    finally:
        copy.end()
    assert seen is not None
    assert seen.message is not None
    assert "don't fit together" in seen.message
    assert ("lack" if results_first else "the checkpoint ends at batch") in seen.message
