"""The cost of an attack: memory of each kind of process, waiting times of others during it, and their lost rows."""

import itertools
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field

import httpx
import psutil

from deploy.installation.processes import runners
from tests.attacks.asking import WATCHED
from tests.attacks.stage import Stage
from tests.faults.installation.kinds import processes_of
from tests.faults.installation.numbered import Losses, wait_until

WEIGHED_EVERY_S = 0.025
RUNNERS_EVERY = 20
"""So many measurements of the web server for one of the runners, which takes longer."""
CATCHES_UP_S = 240.0
BACK_S = 60.0


@dataclass
class Cost:
    """The maximum values; `failures` are unsuccessful answers to the other organisation.

    `jvm_mib` and `worker_mib` are those of the largest process of a runner, `all_mib` that of the whole installation if
    it is confined. `others_s`: the number of the other organisation's requests by kind, with the times within which
    half and 99 % of them were answered. `losses`: of the other organisation's numbered run, after time to catch up;
    `states` are those of all its runs then, empty without an answer.
    """

    web_mib: float = 0.0
    limited_mib: float = 0.0
    jvm_mib: float = 0.0
    worker_mib: float = 0.0
    all_mib: float = 0.0
    longest_s: float = 0.0
    others_s: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)
    ended: bool = False
    killed: int = 0
    losses: Losses | None = None
    states: str = ""


class Watch:
    """Measures the processes, and the requests of the other organisation, inside the block."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self.cost, self._stop = stage, Cost(), threading.Event()
        self._web = processes_of(stage.installation.var, "web server")[0]
        self._killed = stage.group.kills() if stage.group else 0
        self._weighing = threading.Thread(target=self._weigh)
        self._began = time.monotonic()

    def __enter__(self) -> Cost:
        self._stage.asker.seen()
        self._weighing.start()
        return self.cost

    def __exit__(self, *_: object) -> None:
        self.cost.seconds = time.monotonic() - self._began
        self._stop.set()
        self._weighing.join()
        seen = self._stage.asker.seen()
        self.cost.longest_s, self.cost.failures = seen.longest_s, seen.failures
        self.cost.others_s = {
            kind: (len(took), seen.quantile_s(kind, 0.5), seen.quantile_s(kind, 0.99))
            for kind, took in seen.took_s.items()
        }
        self.cost.ended = not self._web.is_running()
        if self._stage.group:
            self.cost.killed = self._stage.group.kills() - self._killed
        with suppress(httpx.HTTPError, AssertionError):
            wait_until(lambda: bool(self._states()), BACK_S, "an answer")
            self.cost.losses = self._stage.numbered.losses(CATCHES_UP_S)
            self.cost.states = ", ".join(sorted(self._states()))
            wait_until(lambda: self._states() == {"running"}, BACK_S, "runs that continue")
            self.cost.states = "running"

    def _states(self) -> set[str]:
        listed = self._stage.victim.get("bindings/").raise_for_status().json()  # of runs, only the newest are listed
        runs = [each["latest_run"] for each in listed if each["name"] != WATCHED]
        return {each["observed"] for each in runs if each is not None}

    def _weigh(self) -> None:
        for rounds in itertools.count():
            with suppress(psutil.Error):
                self.cost.web_mib = max(self.cost.web_mib, mib(self._web))
                for server in self._web.children():
                    self.cost.limited_mib = max([self.cost.limited_mib, *map(mib, server.children())])
            if rounds % RUNNERS_EVERY == 0:
                self._weigh_runners()
            if self._stop.wait(WEIGHED_EVERY_S):
                return

    def _weigh_runners(self) -> None:
        if self._stage.group:
            self.cost.all_mib = max(self.cost.all_mib, self._stage.group.used_mib())
        for runner in runners(self._stage.installation.var):
            with suppress(psutil.Error):
                for each in runner.children(recursive=True):
                    if each.name() == "java":
                        self.cost.jvm_mib = max(self.cost.jvm_mib, mib(each))
                    else:
                        self.cost.worker_mib = max(self.cost.worker_mib, mib(each))


def mib(process: psutil.Process) -> float:
    """Return the memory of a process; 0 once it has ended."""
    try:
        return float(process.memory_info().rss) / 2**20
    except psutil.Error:
        return 0.0
