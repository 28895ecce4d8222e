"""A damaged file of a carrier is named at every start, with the ways to recover; an intact one causes no error."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from streaming.runtime.carriers.carrier import FleetMember
from streaming.spark.carrier import Carrier
from streaming.spark.errors import STATE_FILE, DamagedCheckpoint, RunFailure
from streaming.spark.query.layout import CarrierSettings
from tests.spark.specs import spec, write_readings
from tests.spark.test_on_spark import rows, undisturbed, wait_for

pytestmark = pytest.mark.spark

BATCHES = 8


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, tuple[list[str], list[str]]]:
    """Return a folder for a carrier that was closed in the middle of its rows (the first test fills it), and all
    results."""
    folder = tmp_path_factory.mktemp("begun")
    return folder / "home", undisturbed(folder / "undisturbed", BATCHES)


def settings(home: Path) -> CarrierSettings:
    return CarrierSettings(home=str(home))


def home_of(session: SparkSession, begun: Path, home: Path) -> Path:
    """Return a copy of the carrier that was closed in the middle."""
    if not begun.exists():
        write_readings(begun / "readings.jsonl", BATCHES)
        carrier = Carrier(session, begun / "carrier", settings(begun))
        carrier.start()
        carrier.add(spec("a", "readings.jsonl"))
        wait_for(carrier, lambda: len(carrier.manifests_after(0)) >= 4)
        carrier.close()
    shutil.copytree(begun, home)
    return home


def newest(folder: Path, pattern: str) -> Path:
    return max(folder.glob(pattern), key=lambda path: int((re.findall(r"\d+", path.name) or ["0"])[0]))


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 0x10
    file.write_bytes(content)


Damage = Callable[[Path], None]
DAMAGES: tuple[tuple[str, Damage], ...] = (
    ("carrier.json", cut),
    ("layout", empty),
    ("control/*.json", cut),
    ("commits/*.json", cut),
    ("commits/*.json", Path.unlink),
    ("lanes/*/*.arrow", cut),
    ("lanes/*/*.arrow", empty),
    ("spark/offsets/[0-9]*", Path.unlink),
    ("spark/offsets/[0-9]*", cut),
    ("spark/commits/[0-9]*", cut),
    ("spark/state/0/*/[1-9]*.changelog", flip),
    ("spark/state/0/*/[1-9]*.changelog", cut),
    ("spark/state/0/*/[1-9]*.changelog", Path.unlink),
)


def failure_of(session: SparkSession, home: Path) -> RunFailure:
    """Return why the query of the carrier ends, or doesn't start, as its runner sees it."""
    try:
        carrier = Carrier(session, home / "carrier", settings(home))
        carrier.require_whole()
    except DamagedCheckpoint as damage:
        return RunFailure(damage.domain, str(damage), "")
    member = FleetMember("carrier", carrier)
    failure = member.start(0.0)
    while failure is None:
        carrier.wait(0.05)
        failure = member.failed(0.0)
        assert carrier.last_runs()["a-1"].state != "completed", "it read to the end over a damaged file"
    return failure


@pytest.mark.parametrize(("pattern", "damage"), DAMAGES, ids=[f"{name} {how.__name__}" for name, how in DAMAGES])
def test_a_damaged_file_is_named_at_each_start_and_an_intact_one_is_read(
    session: SparkSession, begun: tuple[Path, tuple[list[str], list[str]]], tmp_path: Path, pattern: str, damage: Damage
) -> None:
    home = home_of(session, begun[0], tmp_path / "home")
    file = newest(home / "carrier", pattern)
    content = file.read_bytes()
    damage(file)
    for _ in range(2):
        failure = failure_of(session, home)
        assert failure.domain == "internal"
        names_none = "state" in pattern and damage is not Path.unlink  # Spark's error names no file
        named = STATE_FILE if names_none else file.relative_to(home / "carrier").as_posix()
        assert f"{named} of carrier carrier" in failure.message
        assert "checkpoints restore" in failure.message
        assert "checkpoints set-aside" in failure.message
        assert str(tmp_path) not in failure.message
    file.write_bytes(content)
    carrier = Carrier(session, home / "carrier", settings(home))
    carrier.start()
    wait_for(carrier, lambda: carrier.last_runs()["a-1"].state == "completed")
    carrier.close()
    assert rows(home, "a") == begun[1]
