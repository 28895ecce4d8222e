"""A small installation without processes, for tests of backup and restore."""

import sqlite3
from contextlib import closing
from pathlib import Path

from deploy.backup.manifest import known_migrations
from deploy.backup.restoring import RestoreTarget, restore
from deploy.backup.taking import Installation, take
from streaming.adapters.push.inbox import InboxLimits, PushInbox
from streaming.spark.query.layout import CarrierSettings, create

ONE = "00000000-0000-4000-8000-000000000001"
POOL = "pool-1"
KEY, SECRETS = "s" * 50, ["n" * 32, "o" * 32]
LIMITS = InboxLimits(most_bytes=1 << 20, wait_days=1)


def nobody(_places: object) -> dict[str, str]:
    """Return no host: no runner has a lease."""
    return {}


def push(data: Path, batch: str) -> None:
    """Push one row."""
    PushInbox.of(data / ONE / "files", "cars").accept(b'{"a": 1}\n', 1, batch=batch, now=1, limits=LIMITS)


def laid_out(data: Path, *, migrations: tuple[str, ...] = ()) -> Installation:
    """Return an installation with an organisation, a pool, an inbox and a database."""
    data.mkdir(mode=0o700)
    for place in (ONE, POOL):
        home = data / place
        create(home / "carriers/main", CarrierSettings(home=str(home)))
    write(data / ONE / "results/b/results/part-1-0.jsonl", "{}\n")
    write(data / ONE / "carriers/main/journals/b/readings/files.jsonl", "{}\n")
    write(data / ONE / "uploads/u/content", "half")
    write(data / ONE / "files/cars.csv", "a\n1\n")
    for name in ("logs/web.csv", "places/a", "working/77", ".a.tmp", "runner.lock"):
        write(data / ONE / "files/all" / name, name)
    push(data, "first")
    for name in ("runner.json", "runner.lock", "held.json", "logs/runner.log", "carriers/main/working/77"):
        write(data / ONE / name, "{}")
    write(data / "logs/web.log", "a line")
    write(data / "demo_password", "secret")
    with closing(sqlite3.connect(data / "punctual.sqlite3")) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("CREATE TABLE django_migrations (app TEXT, name TEXT)")
        known = [each.split(".") for each in (*sorted(known_migrations()), *migrations)]
        database.executemany("INSERT INTO django_migrations VALUES (?, ?)", known)
        database.commit()
    return Installation(data, "", KEY, SECRETS, nobody)


def write(path: Path, content: str) -> None:
    """Write a file and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content)


def back_up(of: Installation, file: Path, *, with_keys: bool = True, wait_s: float = 5.0) -> list[str]:
    """Take a backup; return the printed lines."""
    lines = list[str]()
    take(of, file, with_keys=with_keys, wait_s=wait_s, tell=lines.append)
    return lines


def target(data: Path, **settings: object) -> RestoreTarget:
    """Return a target without a database of its own, without keys, and without a live runner."""
    content = {"database_url": "", "secret_key": "", "secrets_keys": [], "hosts": nobody, **settings}
    return RestoreTarget(data, **content)  # type: ignore[arg-type]


def put_back(to: RestoreTarget, file: Path, *, resume: bool = False, results_restored: bool = False) -> list[str]:
    """Restore; return the printed lines."""
    lines = list[str]()
    restore(to, file, resume=resume, results_restored=results_restored, tell=lines.append)
    return lines


def files_in(folder: Path) -> dict[str, str]:
    """Return the text files below `folder`, by path."""
    return {
        path.relative_to(folder).as_posix(): path.read_text()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".sqlite" not in path.name
    }
