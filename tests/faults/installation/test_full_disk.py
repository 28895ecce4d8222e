"""A whole installation on a disk that another program fills: reads and sign-in work, the run waits, then resumes."""

import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from streaming.storage.disk import DISK_FULL
from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import NumberedRun, wait_until
from tests.faults.installation.site import Site

MIB = 1 << 20
RESERVE_MIB = 96
BACK_S = 240.0
FULL_S = 55.0
"""For so long the disk has no free byte."""
READS = ("streams/", "queries/", "bindings/", "runs/", "files/", "quotas/", "members/", "audit/")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a separate file system for the installation's data."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=768m", "punctual-test", str(place)]
    mounted = subprocess.run(command, capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.fail(f"A tmpfs can't be mounted ({mounted.stderr.strip()}). Run this test as root.")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def site(disk: Path) -> Iterator[Site]:
    found = Site(disk / "var", {"PUNCTUAL_POOLS": "0", "PUNCTUAL_DISK_RESERVE_MB": str(RESERVE_MIB)})
    try:
        found.sign_in()
        yield found
    finally:
        found.end()


def free(disk: Path) -> int:
    found = os.statvfs(disk)
    return found.f_bavail * found.f_frsize


def fill(disk: Path, left: int) -> Path:
    """Fill the disk with another program's file until `left` bytes are free."""
    other = disk / "somebody-else"
    with other.open("ab", buffering=0) as file, suppress(OSError):
        while free(disk) > left:
            file.write(bytes(max(min(MIB, free(disk) - left), 1)))
    return other


def answers(site: Site) -> dict[str, int]:
    return {path: site.pages.get(f"/api/t/demo/{path}").status_code for path in READS}


def signs_in(site: Site) -> int:
    """Sign in without a session; return the status."""
    printed = re.search(r"Sign in as (\S+), password: (\S+)", site.printed)
    assert printed is not None
    with httpx.Client(base_url=site.pages.base_url, timeout=10) as visitor:
        visitor.get("/sign-in")
        headers = {"X-CSRFToken": visitor.cookies["csrftoken"]}
        body = {"email": printed[1], "password": printed[2]}
        return visitor.post("/_allauth/browser/v1/auth/login", json=body, headers=headers).status_code


@pytest.mark.thorough
def test_a_full_disk_stops_only_writes_and_everything_resumes(site: Site, disk: Path) -> None:
    own = site.var / site.organisation
    run = NumberedRun(site.call, own / "files", own / "results")
    wait_until(lambda: run.states() == {"running"} and run.received() > 0, BACK_S, "the run's start")
    fill(disk, (RESERVE_MIB - 16) * MIB)
    parked = wait_until(lambda: run.states() == {"failed"}, BACK_S, "parking")
    shown = site.call("GET", f"runs/{run.run}/", None)
    assert (shown["message"], shown["ended_at"]) == (DISK_FULL, None)
    assert set(answers(site).values()) == {200}
    assert signs_in(site) == 200
    with pytest.raises(httpx.HTTPStatusError) as refused:
        site.call("POST", f"bindings/{run.binding}/start/", None)
    assert refused.value.response.status_code in {409, 507}
    run.writer.end()
    other = fill(disk, 0)
    for beat in processes_of(site.var, "beat"):
        beat.kill()
    until = time.monotonic() + FULL_S
    while time.monotonic() < until:
        answered = answers(site)
        assert set(answered.values()) == {200}, f"reads fail with {free(disk)} bytes free: {answered}"
        threading.Event().wait(1.0)  # the rate of a single person
    other.unlink()
    resumed = wait_until(lambda: run.states() == {"running"}, BACK_S, "resuming")
    wait_until(lambda: run.received() == run.writer.rows, BACK_S, "all rows read")
    print(f"parked after {parked:.1f} s, running {resumed:.1f} s after space was free", flush=True)
    run.stop()
    wait_until(lambda: run.states() == {"stopped"}, BACK_S, "the stop")
    found = run.losses(10)
    assert (found.lost, found.doubled) == (0, 0)
