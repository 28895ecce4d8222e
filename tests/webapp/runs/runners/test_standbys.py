"""Runners that stand by, as the launcher keeps and gives them: each to one launch, none for ever without a wish."""

import shutil
import socket
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import settings as tried
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from streaming.wire.standby import ORPHANED_S, StandbyAnswer, StayUp, TakeStandby
from webapp.runs.runners.standbys import FIRST_PAUSE_S, LONGEST_PAUSE_S, MAY_BEGIN_FOR, StandbyNote, Standbys

NOW = datetime(2026, 11, 26, 3, 0, tzinfo=UTC)


@dataclass
class PaperStandby:
    """A process: it `begins`, `waits`, is a `runner` of somebody, `hangs`, or is `gone`."""

    fits: str
    state: str = "begins"
    whose: str | None = None
    unwanted_s: float = 0.0


@dataclass
class PaperProcesses:
    """All processes so far; `meanwhile` happens once, after one was checked the next time."""

    all: list[PaperStandby] = field(default_factory=list)
    now: datetime = NOW
    loses_answers: bool = False
    meanwhile: Callable[[], object] | None = None

    def start(self, fits: str, arguments: Sequence[str] | None = None) -> StandbyNote:
        self.all.append(PaperStandby(fits))
        pid = len(self.all) - 1
        return StandbyNote(
            host=socket.gethostname(), pid=pid, started=self.now.timestamp(), socket=f"/{pid}", fits=fits
        )

    def lives(self, note: StandbyNote) -> bool:
        return self.all[note.pid].state != "gone"

    def ready(self, note: StandbyNote) -> bool:
        found = self.all[note.pid].state in {"waits", "hangs"}
        self._interrupted()
        return found

    def ask(self, note: StandbyNote, message: StayUp | TakeStandby) -> StandbyAnswer | None:
        asked = self.all[note.pid]
        if asked.state != "waits":
            return None
        if isinstance(message, StayUp):
            asked.unwanted_s = 0.0
            return StandbyAnswer(state="waits", pid=note.pid)
        asked.state, asked.whose = "runner", message.whose
        return None if self.loses_answers else StandbyAnswer(state="taken", pid=note.pid)

    def end(self, note: StandbyNote) -> None:
        ended = self.all[note.pid]
        assert ended.state != "runner" or self.loses_answers, "somebody's runner was ended"
        ended.state = "gone"

    def _interrupted(self) -> None:
        happens, self.meanwhile = self.meanwhile, None
        if happens is not None:
            happens()


class StandbyWorld(RuleBasedStateMachine):
    """An installation that wants some, launches that take them, and everything that can go wrong."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.processes = PaperProcesses()
        self.standbys = Standbys(self.folder, self.processes)
        self.fits, self.launches, self.wanted = "1", 0, 0

    def teardown(self) -> None:
        self.come_up()
        self.time_passes(ORPHANED_S)
        assert {each.state for each in self.processes.all} <= {"runner", "gone", "hangs"}, "one waits for ever"
        shutil.rmtree(self.folder)

    def launch(self) -> None:
        self.launches += 1
        whose = f"organisation-{self.launches}"
        note = self.standbys.take(self.fits, whose, {})
        mine = [each for each in self.processes.all if each.whose == whose and each.state == "runner"]
        assert mine == ([] if note is None else [self.processes.all[note.pid]])
        assert all(each.fits == self.fits for each in mine)

    @initialize()
    def begins(self) -> None:
        self.some_stand_by()

    @rule()
    def some_stand_by(self) -> None:
        self.processes.now += timedelta(seconds=LONGEST_PAUSE_S)
        self.tend(2, True)
        self.tend(2, True)
        self.come_up()

    @rule(wanted=st.integers(0, 2), quiet=st.booleans())
    def tend(self, wanted: int, quiet: bool) -> None:
        self.wanted = wanted
        self.standbys.tend(wanted, self.fits, self.processes.now, quiet=quiet)

    @rule()
    def somebody_is_to_move(self) -> None:
        if not list(self.folder.glob("*.json")):
            self.standbys.prepare(self.fits, [], self.processes.now)

    @rule()
    def somebody_starts(self) -> None:
        self.launch()

    @rule()
    def two_start_at_once(self) -> None:
        self.processes.meanwhile = self.launch
        self.launch()
        self.processes.meanwhile = None

    @rule(wanted=st.integers(0, 2))
    def somebody_starts_while_they_are_looked_after(self, wanted: int) -> None:
        self.processes.meanwhile = self.launch
        self.tend(wanted, True)
        self.processes.meanwhile = None

    @rule()
    def an_answer_is_lost(self) -> None:
        self.processes.loses_answers = True
        self.launch()
        self.processes.loses_answers = False

    @rule()
    def come_up(self) -> None:
        for each in self.processes.all:
            if each.state == "begins":
                each.state, each.unwanted_s = "waits", 0.0

    @precondition(lambda self: self.processes.all)
    @rule(data=st.data(), becomes=st.sampled_from(["gone", "hangs"]))
    def one_breaks(self, data: st.DataObject, becomes: str) -> None:
        one = data.draw(st.sampled_from(self.processes.all))
        if one.state in {"begins", "waits"}:
            one.state = becomes if one.state == "waits" else "gone"

    @rule(seconds=st.sampled_from([5.0, 30.0, ORPHANED_S, 1_000.0]))
    def time_passes(self, seconds: float) -> None:
        self.processes.now += timedelta(seconds=seconds)
        for each in self.processes.all:
            if each.state == "waits":
                each.unwanted_s += seconds
                each.state = "gone" if each.unwanted_s >= ORPHANED_S else "waits"

    @rule(hours=st.sampled_from([-30, -1, 1, 30]))
    def the_clock_is_set(self, hours: int) -> None:
        self.processes.now += timedelta(hours=hours)

    @rule(fits=st.sampled_from(["1", "2"]))
    def another_version_is_installed(self, fits: str) -> None:
        self.fits = fits

    @rule()
    def the_installation_ends(self) -> None:
        self.standbys.end_all()
        assert {each.state for each in self.processes.all} <= {"runner", "gone"} | self._unnoted()

    def _unnoted(self) -> set[str]:
        """Return the states of those that nobody knows any more, and that will end on their own."""
        return {each.state for each in self.processes.all if each.unwanted_s or each.state == "hangs"}

    @invariant()
    def there_are_never_more_than_were_wanted(self) -> None:
        assert len(list(self.folder.glob("*.json"))) <= 2


StandbyWorld.TestCase.settings = tried(max_examples=100, stateful_step_count=25, deadline=None)
TestStandbyWorld = StandbyWorld.TestCase


def make_standbys(folder: Path) -> tuple[Standbys, PaperProcesses]:
    processes = PaperProcesses()
    return Standbys(folder, processes), processes


def states(processes: PaperProcesses) -> list[str]:
    return [each.state for each in processes.all]


def test_one_that_was_given_away_is_followed_by_another(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    standbys.tend(1, "1", NOW, quiet=True)
    processes.all[0].state = "waits"
    assert standbys.take("1", "acme", {}) is not None
    assert standbys.take("1", "other", {}) is None
    standbys.tend(1, "1", NOW, quiet=False)
    assert states(processes) == ["runner"], "somebody waits for that runner"
    standbys.tend(1, "1", NOW, quiet=True)
    assert states(processes) == ["runner", "begins"]


def test_one_of_another_version_is_ended_and_never_given(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    standbys.tend(1, "1", NOW, quiet=True)
    processes.all[0].state = "waits"
    assert standbys.take("2", "acme", {}) is None
    standbys.tend(1, "2", NOW, quiet=True)
    assert states(processes) == ["gone", "begins"]


def test_what_never_comes_up_is_ended_and_tried_again_later_and_later(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    standbys.tend(1, "1", NOW, quiet=True)
    standbys.tend(1, "1", NOW + MAY_BEGIN_FOR, quiet=True)
    assert states(processes) == ["gone", "begins"]
    launches = []
    for second in range(3_000):
        before = len(processes.all)
        processes.all[-1].state = "gone"
        standbys.tend(1, "1", NOW + timedelta(seconds=second), quiet=True)
        launches += [second] * (len(processes.all) - before)
    pauses = [after - before for before, after in pairwise(launches)]
    assert pauses == sorted(pauses)
    assert pauses[-1] == LONGEST_PAUSE_S + 1


def test_one_that_came_up_and_ended_is_followed_by_another_soon(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    at = NOW
    for _ in range(5):
        standbys.tend(1, "1", at, quiet=True)
        processes.all[-1].state = "waits"
        standbys.tend(1, "1", at, quiet=True)
        processes.all[-1].state = "gone"
        standbys.tend(1, "1", at, quiet=True)
        at += timedelta(seconds=FIRST_PAUSE_S)
    assert len(processes.all) == 5


def test_what_cannot_be_read_and_what_is_of_another_machine_is_left_alone(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    note = processes.start("1").model_copy(update={"host": "elsewhere.example"})
    processes.all[0].state = "waits"
    (tmp_path / "0.json").write_text(note.model_dump_json())
    (tmp_path / "1.json").write_text("{broken")
    assert standbys.take("1", "acme", {}) is None
    assert standbys.end_all() == []
    assert states(processes) == ["waits"]


def test_one_that_is_prepared_for_a_launch_is_kept_in_addition_until_it_is_taken(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    standbys.tend(1, "pooled", NOW, quiet=True)
    assert not standbys.prepare("own", ["--cores"], NOW)
    assert not standbys.prepare("own", ["--cores"], NOW)
    for each in processes.all:
        each.state = "waits"
    standbys.tend(1, "pooled", NOW, quiet=True, promised={"own"})
    assert standbys.prepare("own", ["--cores"], NOW)
    assert states(processes) == ["waits", "waits"]
    assert standbys.take("own", "acme", {}) is not None
    standbys.tend(0, "pooled", NOW, quiet=True, promised={"own"})
    assert states(processes) == ["gone", "runner"]


def test_one_that_was_prepared_and_is_not_awaited_any_more_is_ended(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    standbys.prepare("own", [], NOW)
    processes.all[0].state = "waits"
    standbys.tend(0, "pooled", NOW, quiet=True)
    assert states(processes) == ["gone"]


def test_nobody_waits_for_one_that_does_not_come_up(tmp_path: Path) -> None:
    standbys, processes = make_standbys(tmp_path)
    assert not standbys.prepare("own", [], NOW)
    assert standbys.prepare("own", [], NOW + MAY_BEGIN_FOR)
    processes.all[0].state = "gone"
    assert standbys.prepare("own", [], NOW + MAY_BEGIN_FOR)
    assert standbys.prepare("own", [], NOW + MAY_BEGIN_FOR), "nor is another one begun at once"
    assert len(processes.all) == 1
