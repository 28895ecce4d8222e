"""A carrier that another version of the program wrote is set aside, and its bindings resume in a new one."""

from pathlib import Path

import pytest

from streaming.spark.errors import PunctualError
from streaming.spark.planning.start_positions import DAMAGED_BEFORE, OTHER_PROGRAM, keep_newest_points
from streaming.spark.query.layout import (
    DAMAGED,
    LAYOUT,
    LAYOUT_FILE,
    CarrierSettings,
    create,
    leave_behind_other_layout,
    put_aside,
)
from streaming.spark.query.offset import Offset
from tests.spark.loop import Loop
from tests.spark.planning.test_carrying_over import BATCHES, add, beginning, read_results, timed, whole
from tests.spark.specs import write_readings


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_readings(tmp_path / "readings.jsonl", BATCHES)
    return tmp_path


def written_by_another(loop: Loop, layout: str | None) -> None:
    if layout is None:
        loop.carrier.folder.remove(LAYOUT_FILE)
    else:
        loop.carrier.folder.write(LAYOUT_FILE, layout.encode())


@pytest.mark.parametrize("layout", [None, "0", str(LAYOUT + 1)])
def test_a_run_resumes_in_a_new_carrier_and_emits_each_row_once(home: Path, layout: str | None) -> None:
    old, wanted = Loop(home), timed("a-1", "value >= 0")
    add(old, wanted)
    for _ in range(BATCHES // 2):
        old.batch()
    keep_newest_points(old.carrier)  # as closing does
    written_by_another(old, layout)
    aside = leave_behind_other_layout(home / "carrier")
    assert aside == f"carrier.layout-{layout or 'unknown'}"
    assert (home / aside / "carrier.json").exists()
    new = Loop(home)
    add(new, wanted)
    new.run()
    assert sorted(map(str, read_results(new))) == sorted(map(str, whole(home, wanted)))
    assert OTHER_PROGRAM in beginning(new, "a-1").sentence


def test_a_run_resumes_next_to_a_damaged_carrier_that_was_set_aside(home: Path) -> None:
    old, wanted = Loop(home), timed("a-1", "value >= 0")
    add(old, wanted)
    for _ in range(BATCHES // 2):
        old.batch()
    keep_newest_points(old.carrier)
    assert put_aside(home / "carrier", DAMAGED) == "carrier.damaged"
    new = Loop(home)
    add(new, wanted)
    new.run()
    assert sorted(map(str, read_results(new))) == sorted(map(str, whole(home, wanted)))
    assert DAMAGED_BEFORE in beginning(new, "a-1").sentence


def test_a_second_carrier_is_set_aside_next_to_the_first(home: Path) -> None:
    for aside in ("carrier.layout-0", "carrier.layout-0-2"):
        written_by_another(Loop(home), "0")
        assert leave_behind_other_layout(home / "carrier") == aside


def test_a_carrier_with_the_current_layout_stays(home: Path) -> None:
    Loop(home)
    assert leave_behind_other_layout(home / "carrier") is None
    assert leave_behind_other_layout(home / "nothing") is None


def test_a_carrier_that_was_set_aside_is_never_opened(home: Path) -> None:
    written_by_another(Loop(home), "0")
    with pytest.raises(PunctualError, match="layout 0, this one reads"):
        create(home / "carrier", CarrierSettings(home=str(home)))


def test_an_offset_of_another_layout_is_refused() -> None:
    with pytest.raises(PunctualError, match="layout unknown"):
        Offset.of_json({"n": 1})
