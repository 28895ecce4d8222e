"""Backup and restore: a restore gives the saved content, and a refused one changes nothing."""

import fcntl
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

import pyarrow as pa
import pytest

from streaming.runtime import backup
from streaming.runtime.checkpoints import main
from streaming.spark.query.layout import LAYOUT
from streaming.storage.archive import opened

ORGANISATION = "8e7f"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return an organisation with a carrier, results, a file, and an empty folder."""
    folder = tmp_path / "data" / ORGANISATION
    _carrier(folder, "main", LAYOUT, batches=3)
    _write(folder / "results/b1/commits/0.json", b"{}")
    _write(folder / "files/cars.csv", bytes(range(256)) * 5_000)
    _write(folder / "runner.lock", b"")
    (folder / "journals").mkdir(mode=0o700)
    return folder


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _carrier(folder: Path, name: str, layout: int, batches: int) -> None:
    place = folder / "carriers" / name
    _write(place / "carrier.json", b"{}")
    _write(place / "layout", str(layout).encode())
    for batch in range(batches):
        _write(place / "commits" / f"{batch}.json", b"{}")


def everything(folder: Path) -> dict[str, tuple[int, bytes | None]]:
    """Return the saved content of a folder: permissions, and the bytes of files."""
    return {
        path.relative_to(folder).as_posix(): (path.stat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in folder.rglob("*")
        if path.name not in {"runner.lock", "runner.json", "place"}
    }


def refused(*arguments: object, capsys: pytest.CaptureFixture[str]) -> str:
    assert main(list(map(str, arguments))) == 1
    return capsys.readouterr().err


def test_a_restore_gives_the_saved_content_and_moves_the_current_one_aside(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "acme.backup"
    saved, lines = everything(folder), list[str]()
    assert main(["backup", str(folder), str(file)], lines.append) == 0
    assert lines == [f"saved 7 files, 1.3 MB: {file}, {file.stat().st_size / 1e6:,.1f} MB."]
    assert file.stat().st_mode & 0o777 == 0o600
    _write(folder / "files/cars.csv", b"others")
    _write(folder / "carriers/main/commits/3.json", b"{}")
    later = everything(folder)
    assert main(["restore", str(folder), str(file)], lines.append) == 0
    assert everything(folder) == saved
    [aside] = folder.parent.glob(f"{ORGANISATION}.before-*")
    assert everything(aside) == later
    assert str(aside) in lines[-1]


def test_a_backup_restores_into_an_absent_folder(folder: Path, tmp_path: Path) -> None:
    file, elsewhere = tmp_path / "acme.backup", tmp_path / "other" / ORGANISATION
    saved = everything(folder)
    assert main(["backup", str(folder), str(file)]) == 0
    assert main(["restore", str(elsewhere), str(file)]) == 0
    assert everything(elsewhere) == saved
    assert [path.name for path in elsewhere.parent.iterdir()] == [ORGANISATION]


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-200])


def _another_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0xFF
    file.write_bytes(content)


def _no_archive(file: Path) -> None:
    file.write_bytes(b"PK\x03\x04" * 100)


def _rewritten(file: Path, change: Callable[[tarfile.TarInfo, bytes], tuple[str, bytes]]) -> None:
    with opened(file) as archive:
        members = [(each, read.read() if (read := archive.extractfile(each)) else b"") for each in archive]
    with (
        pa.CompressedOutputStream(str(file), "zstd") as packed,
        tarfile.open(fileobj=cast(IO[bytes], packed), mode="w|") as archive,
    ):
        for member, content in members:
            member.name, changed = change(member, content) if member.isreg() else (member.name, b"")
            member.size = len(changed)
            archive.addfile(member, io.BytesIO(changed))


def _another_row(file: Path) -> None:
    _rewritten(file, lambda of, content: (of.name, b"x" + content[1:] if of.name.endswith("0.json") else content))


def _leading_out(file: Path) -> None:
    _rewritten(file, lambda of, content: (of.name.replace("data/files", "data/../../files"), content))


def _change_manifest(file: Path, **changes: object) -> None:
    _rewritten(
        file,
        lambda of, content: (
            of.name,
            json.dumps({**json.loads(content), **changes}).encode() if of.name == backup.MANIFEST else content,
        ),
    )


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (_cut, "isn't a backup, or it is truncated"),
        (_another_byte, "Nothing was changed"),
        (_no_archive, "isn't a backup"),
        (_another_row, "damaged: carriers/main/commits/0.json differs"),
        (_leading_out, "isn't a backup"),
        (lambda file: _change_manifest(file, organisation="9a"), f"of the organisation 9a, not of {ORGANISATION}"),
        (lambda file: _change_manifest(file, layout=LAYOUT + 1), f"(layout {LAYOUT + 1}, this one reads {LAYOUT})"),
        (lambda file: file.unlink(), "No such file"),
    ],
)
def test_a_damaged_or_foreign_backup_changes_nothing(
    damage: Callable[[Path], None], message: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "acme.backup"
    assert main(["backup", str(folder), str(file)]) == 0
    damage(file)
    before = everything(folder.parent)
    assert message in refused("restore", folder, file, capsys=capsys)
    assert everything(folder.parent) == before
    assert not (tmp_path / "files").exists()


@pytest.mark.parametrize("what", ["backup", "restore", "clean"])
def test_commands_are_refused_while_the_runner_is_alive(
    what: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "acme.backup"
    assert main(["backup", str(folder), str(file)]) == 0
    before = everything(folder.parent)
    with (folder / "runner.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        message = refused(what, folder, *([] if what == "clean" else [file]), capsys=capsys)
    assert "stoprunners" in message
    assert everything(folder.parent) == before


def test_an_organisation_with_data_elsewhere_gets_no_partial_backup(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "acme.backup"
    (folder / "link").symlink_to(tmp_path)
    assert "isn't a regular file" in refused("backup", folder, file, capsys=capsys)
    (folder / "link").unlink()
    _write(folder / "carriers/homes.json", b'{"b1": ["pool-0", null]}')
    assert "a runner of its own" in refused("backup", folder, file, capsys=capsys)
    (folder / "carriers/homes.json").unlink()
    _write(folder / "results_at", b"s3://bucket/8e7f")
    assert "s3://bucket/8e7f" in refused("backup", folder, file, capsys=capsys)
    assert list(tmp_path.iterdir()) == [folder.parent]


def test_carriers_are_listed_and_those_set_aside_are_deleted(folder: Path) -> None:
    _carrier(folder, "main.layout-1", 1, batches=0)
    lines = list[str]()
    assert main(["show", str(folder)], lines.append) == 0
    assert lines[0].startswith(f"main: 0.0 MB, layout {LAYOUT}, batch 2, written 2")
    assert lines[1] == "main.layout-1: 0.0 MB, layout 1, which this version does not read, no batch, written never"
    assert main(["clean", str(folder)], lines.append) == 0
    assert [path.name for path in (folder / "carriers").iterdir()] == ["main"]
    assert main(["clean", str(folder)], lines.append) == 0
    assert lines[-1].startswith("Nothing to delete")
