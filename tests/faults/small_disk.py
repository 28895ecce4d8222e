"""A small disk in memory that tests fill up; only root may mount it."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from errno import ENOSPC
from pathlib import Path


@contextmanager
def small_disk(folder: Path, mib: int) -> Iterator[Path]:
    """Mount a disk of `mib` MiB in memory at `folder`."""
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={mib}m,mode=0755", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
        text=True,
    )
    assert mounted.returncode == 0, f"This test mounts a small disk, which only root may do: {mounted.stderr}"
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def filled(disk: Path) -> Iterator[None]:
    """Leave no byte of `disk` free inside the block."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file:
        size = 1 << 20
        while size:
            try:
                file.write(bytes(size))
            except OSError as error:
                if error.errno != ENOSPC:
                    raise
                size //= 2
    try:
        yield
    finally:
        filler.unlink()
