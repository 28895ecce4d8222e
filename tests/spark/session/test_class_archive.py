"""The place of the archive of Spark's classes, and the JVM options that use it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from streaming.spark.session.class_archive import (
    archive_options,
    archive_place,
    delete_unused_archives,
    is_whole,
    java_program,
)

MAGIC = (0xF00BABA8).to_bytes(4, sys.byteorder)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = archive_place()
    assert found is not None
    return found


def test_an_archive_is_used_once_it_is_complete(place: Path) -> None:
    assert archive_options(make=False) == ""
    assert f"-XX:ArchiveClassesAtExit={place}" in archive_options(make=True)
    place.write_bytes(bytes(4096))
    assert f"-XX:ArchiveClassesAtExit={place}" in archive_options(make=True), "its first bytes are written last"
    place.write_bytes(MAGIC + bytes(4096))
    for make in (True, False):
        assert f"-XX:SharedArchiveFile={place}" in archive_options(make=make)


def test_another_java_has_another_archive(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("another")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    assert java_program() == program
    assert archive_place() not in (None, place)


def test_code_that_other_users_may_write_is_not_loaded(place: Path) -> None:
    place.write_bytes(MAGIC)
    place.parent.chmod(0o777)
    assert archive_place() is None
    assert archive_options(make=True) == ""


def test_without_a_home_folder_no_archive_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    assert archive_place() is None


def test_an_archive_that_is_unused_for_a_month_is_deleted(place: Path) -> None:
    old, young = (place.with_name(f"spark-classes-{name}.jsa") for name in ("old", "young"))
    for archive in (old, young, place):
        archive.write_bytes(MAGIC)
        os.utime(archive, (0, 0) if archive != young else None)
    archive_options(make=False)
    delete_unused_archives(place.parent)
    assert [archive.exists() for archive in (old, young, place)] == [False, True, True]


MAPPED = """
from pathlib import Path
from streaming.spark.session.session import start_session
session = start_session()
print(Path(f"/proc/{session.sparkContext._gateway.proc.pid}/maps").read_text())
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.spark
def test_java_accepts_the_new_archive(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    subprocess.run(
        [sys.executable, "-m", "streaming.spark.class_loading"], env=environment, check=True, capture_output=True
    )
    place = archive_place(environment)
    assert place is not None
    assert is_whole(place)
    command = [sys.executable, "-c", MAPPED]
    mapped = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
    assert str(place) in mapped
