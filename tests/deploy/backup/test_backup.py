"""Backup and restore of an installation: the same content elsewhere, and a refused restore changes nothing."""

import fcntl
import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from deploy.backup import cloning, taking
from deploy.backup import manifest as manifests
from deploy.backup.taking import Installation
from streaming.adapters.push.inbox import PushInbox
from streaming.spark.query.layout import LAYOUT, is_examined
from streaming.storage.archive import BackupRefused
from streaming.storage.deliveries_paused import are_paused, resume_deliveries
from tests.deploy.backup.sites import (
    KEY,
    ONE,
    POOL,
    SECRETS,
    back_up,
    files_in,
    laid_out,
    push,
    put_back,
    target,
    write,
)

OF_THE_MACHINE = ("runner.json", "runner.lock", "held.json", "working/77", "logs/", "main/place", "backup.lock")


@pytest.fixture
def site(tmp_path: Path) -> Installation:
    return laid_out(tmp_path / "data")


@pytest.fixture
def file(site: Installation, tmp_path: Path) -> Path:
    back_up(site, tmp_path / "backup")
    return tmp_path / "backup"


def state(folder: Path) -> dict[str, str]:
    """Return what a backup has to keep of a data folder."""
    return {
        path: content
        for path, content in files_in(folder).items()
        if "/files/" in path or not any(each in path for each in OF_THE_MACHINE)
    }


def test_a_restored_installation_has_the_same_content(site: Installation, file: Path, tmp_path: Path) -> None:
    saved = state(site.data)
    assert file.stat().st_mode & 0o777 == 0o600
    lines = put_back(target(tmp_path / "copy"), file)
    copy = tmp_path / "copy"
    keys = {"secret_key": KEY, "secrets_keys": ",".join(SECRETS)}
    assert state(copy) == {**saved, **keys, "deliveries_paused": ""}
    assert (copy / "secrets_keys").stat().st_mode & 0o777 == 0o600
    assert all(is_examined(copy / place / "carriers/main") for place in (ONE, POOL))
    assert "resumedeliveries" in "".join(lines)
    assert not any(path.name.startswith(".") for path in copy.iterdir())


def test_rows_that_were_acknowledged_before_the_cut_are_in_the_backup(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(site.data, "second")
    described = taking._described

    def later(*arguments: object) -> object:
        push(site.data, "third")  # after the cut, before the inbox is copied
        return described(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(taking, "_described", later)
    back_up(site, tmp_path / "backup")
    put_back(target(tmp_path / "copy"), tmp_path / "backup")
    assert PushInbox.of(site.data / ONE / "files", "cars").state().next == 3
    assert PushInbox.of(tmp_path / "copy" / ONE / "files", "cars").state().next == 2


def test_the_database_is_that_of_the_cut(site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    described = taking._described

    def later(*arguments: object) -> object:
        with closing(sqlite3.connect(site.data / "punctual.sqlite3")) as database:
            database.execute("CREATE TABLE later (a)")
            database.commit()
        return described(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(taking, "_described", later)
    back_up(site, tmp_path / "backup")
    put_back(target(tmp_path / "copy"), tmp_path / "backup")
    with closing(sqlite3.connect(tmp_path / "copy" / "punctual.sqlite3")) as database:
        names = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
    assert names == {"django_migrations"}


def test_files_of_users_have_no_second_name_and_are_those_of_the_cut(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    appended, replaced, deleted = (site.data / ONE / "files" / name for name in ("cars.csv", "new.csv", "old.csv"))
    write(replaced, "before")
    write(deleted, "until the cut")
    described = taking._described

    def later(*arguments: object) -> object:
        assert [path.stat().st_nlink for path in (appended, replaced, deleted)] == [1, 1, 1]
        with appended.open("a") as file:
            file.write("2\n")
        write(tmp_path / "staged", "after")
        (tmp_path / "staged").replace(replaced)
        deleted.unlink()
        return described(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(taking, "_described", later)
    back_up(site, tmp_path / "backup")
    put_back(target(tmp_path / "copy"), tmp_path / "backup")
    assert {path: each for path, each in files_in(tmp_path / "copy" / ONE / "files").items() if "/" not in path} == {
        "cars.csv": "a\n1\n",
        "new.csv": "before",
        "old.csv": "until the cut",
    }


def test_more_files_than_may_be_open_are_copied_at_once(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cloning, "_may_open", lambda: cloning.OPEN_OTHERS)
    back_up(site, tmp_path / "backup")
    put_back(target(tmp_path / "copy"), tmp_path / "backup")
    assert (tmp_path / "copy" / ONE / "files/cars.csv").read_text() == "a\n1\n"


def test_a_file_that_is_changed_in_place_after_the_cut_is_noticed(
    site: Installation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = site.data / ONE / "results/b/results/part-1-0.jsonl"
    described = taking._described

    def later(*arguments: object) -> object:
        part.write_text("{}\n{}\n")
        return described(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(taking, "_described", later)
    with pytest.raises(BackupRefused, match=r"part-1-0\.jsonl was changed after it had been cloned"):
        back_up(site, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()
    assert not (site.data / taking.STAGED).exists()


def test_nothing_is_left_of_a_backup_or_of_one_that_was_killed(site: Installation, tmp_path: Path) -> None:
    before = files_in(site.data)
    write(site.data / taking.STAGED / "places/x", "of a backup that was killed")
    write(tmp_path / "backup.part", "half")
    back_up(site, tmp_path / "backup")
    assert state(site.data) == {path: each for path, each in before.items() if path in state(site.data)}
    assert not (site.data / taking.STAGED).exists()
    assert not (tmp_path / "backup.part").exists()


def test_a_backup_is_refused_where_its_file_exists_or_does_not_fit(
    site: Installation, file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BackupRefused, match="exists"):
        back_up(site, file)
    usage = type("Usage", (), {"free": 1_000_000})
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage if _ == tmp_path else type("U", (), {"free": 0}))
    with pytest.raises(BackupRefused, match="MB free"):
        back_up(site, tmp_path / "another")


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def _another_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


@pytest.mark.parametrize("damage", [_cut, _another_byte, lambda file: file.write_bytes(b"PK")])
def test_a_damaged_backup_changes_nothing(damage: Callable[[Path], None], file: Path, tmp_path: Path) -> None:
    damage(file)
    with pytest.raises(BackupRefused, match="Nothing was changed"):
        put_back(target(tmp_path / "copy"), file)
    assert not (tmp_path / "copy").exists()


def test_a_folder_with_content_is_refused_and_left_as_it_was(file: Path, tmp_path: Path) -> None:
    write(tmp_path / "copy" / "mine", "mine")
    with pytest.raises(BackupRefused, match="isn't empty \\(mine\\)"):
        put_back(target(tmp_path / "copy"), file)
    assert files_in(tmp_path / "copy") == {"mine": "mine"}


def test_a_second_restore_into_a_folder_is_refused_and_removes_nothing(file: Path, tmp_path: Path) -> None:
    staged = tmp_path / "other" / ".restoring"
    write(staged / "places" / "of the first", "")
    folder = os.open(staged.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        with pytest.raises(BackupRefused, match=r"Another restore into .* is running"):
            put_back(target(staged.parent), file)
    finally:
        os.close(folder)
    assert (staged / "places" / "of the first").exists()


def test_remains_of_a_restore_that_was_killed_are_replaced(file: Path, tmp_path: Path) -> None:
    write(tmp_path / "copy" / ".restoring" / "x", "of a restore that was killed")
    put_back(target(tmp_path / "copy"), file)
    assert not (tmp_path / "copy" / ".restoring").exists()


def test_other_keys_are_refused_and_the_same_ones_are_not_written(file: Path, tmp_path: Path) -> None:
    for settings in ({"secrets_keys": [SECRETS[0]]}, {"secret_key": "x" * 50}):
        with pytest.raises(BackupRefused, match="has other keys than the installation of the backup"):
            put_back(target(tmp_path / "copy", **settings), file)
        assert not (tmp_path / "copy").exists()
    newer = ["z" * 32, *SECRETS]
    put_back(target(tmp_path / "copy", secrets_keys=newer, secret_key=KEY), file)
    assert not (tmp_path / "copy" / "secrets_keys").exists()


def test_a_backup_without_keys_contains_only_their_fingerprints(site: Installation, tmp_path: Path) -> None:
    lines = back_up(site, tmp_path / "backup", with_keys=False)
    assert "The keys are not in this backup" in lines[-1]
    with pytest.raises(BackupRefused, match=r"This backup has no keys\. Set PUNCTUAL_SECRETS_KEYS"):
        put_back(target(tmp_path / "copy"), tmp_path / "backup")
    put_back(target(tmp_path / "copy", secrets_keys=SECRETS, secret_key=KEY), tmp_path / "backup")
    assert not (tmp_path / "copy" / "keys.json").exists()


def test_a_backup_of_another_layout_or_a_newer_release_is_refused(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("deploy.backup.manifest.LAYOUT", LAYOUT + 1)
        with pytest.raises(BackupRefused, match="checkpoints have another layout"):
            put_back(target(tmp_path / "copy"), file)
    newer = laid_out(tmp_path / "newer", migrations=("runs.9999_later", "elsewhere.0001_initial"))
    back_up(newer, tmp_path / "of_newer")
    with pytest.raises(BackupRefused, match=r"the migration runs\.9999_later"):
        put_back(target(tmp_path / "copy"), tmp_path / "of_newer")
    assert not (tmp_path / "copy").exists()


def test_an_older_database_is_not_migrated_silently(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = manifests.known_migrations() | {"runs.9998_later"}
    monkeypatch.setattr(manifests, "known_migrations", lambda: known)
    lines = put_back(target(tmp_path / "copy"), file)
    assert "1 migration of this release is pending. Run punctual-serve migrate" in "".join(lines)


def test_deliveries_resume_on_request(file: Path, tmp_path: Path) -> None:
    put_back(target(tmp_path / "one"), file, resume=True)
    assert not are_paused(tmp_path / "one")
    put_back(target(tmp_path / "two"), file)
    assert are_paused(tmp_path / "two")
    assert resume_deliveries(tmp_path / "two")
    assert not resume_deliveries(tmp_path / "two")


def test_results_on_an_object_store_are_named_and_must_be_restored_first(site: Installation, tmp_path: Path) -> None:
    write(site.data / ONE / "results_at", "s3://bucket/one")
    lines = back_up(site, tmp_path / "backup")
    assert "Results of 1 organisation are on an object store and not in this backup: s3://bucket/one." in lines[-1]
    with pytest.raises(BackupRefused, match="--results-restored"):
        put_back(target(tmp_path / "copy"), tmp_path / "backup")
    assert not (tmp_path / "copy").exists()
    put_back(target(tmp_path / "copy"), tmp_path / "backup", results_restored=True)


def test_the_redis_of_the_living_original_is_refused(file: Path, tmp_path: Path) -> None:
    with pytest.raises(BackupRefused, match="REDIS_URL is the Redis of a live installation"):
        put_back(target(tmp_path / "copy", hosts=lambda _: {ONE: "host-1"}), file)
    assert not (tmp_path / "copy").exists()


def test_a_damaged_carrier_is_not_backed_up_in_silence(site: Installation, tmp_path: Path) -> None:
    write(site.data / ONE / "carriers/main/spark/commits/0", "v1\n{}")
    with pytest.raises(BackupRefused, match="offsets/0 of carrier main is missing"):
        back_up(site, tmp_path / "backup")
