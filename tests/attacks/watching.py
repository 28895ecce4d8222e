"""What an attack costs: memory of the web server and of limited processes, and how long others wait meanwhile."""

import threading
import time
from dataclasses import dataclass, field

import httpx
import psutil

from tests.attacks.stage import Stage

EVERY_S = 0.1


@dataclass
class Cost:
    """The largest values that were seen; `failures` are answers to the other organisation that were no 200."""

    web_mib: float = 0.0
    limited_mib: float = 0.0
    longest_s: float = 0.0
    asked: int = 0
    failures: list[str] = field(default_factory=list)
    ended: bool = False


class Watch:
    """Looks at the processes, and asks as the other organisation, until it is told to stop."""

    def __init__(self, stage: Stage) -> None:
        self._stage, self.cost, self._stop = stage, Cost(), threading.Event()
        self._web = web_process(stage)
        self._threads = [threading.Thread(target=each) for each in (self._weigh, self._ask)]

    def __enter__(self) -> Cost:
        for each in self._threads:
            each.start()
        return self.cost

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for each in self._threads:
            each.join()
        self.cost.ended = not self._web.is_running()

    def _weigh(self) -> None:
        while not self._stop.wait(EVERY_S / 4):
            try:
                self.cost.web_mib = max(self.cost.web_mib, self._web.memory_info().rss / 2**20)
                for server in self._web.children():
                    for each in server.children():
                        self.cost.limited_mib = max(self.cost.limited_mib, each.memory_info().rss / 2**20)
            except psutil.Error:
                continue

    def _ask(self) -> None:
        while not self._stop.wait(EVERY_S):
            began = time.monotonic()
            try:
                answered = self._stage.victim.get("streams/", timeout=60)
                if answered.status_code != 200:
                    self.cost.failures.append(str(answered.status_code))
            except httpx.HTTPError as error:
                self.cost.failures.append(type(error).__name__)
            self.cost.asked += 1
            self.cost.longest_s = max(self.cost.longest_s, time.monotonic() - began)


def web_process(stage: Stage) -> psutil.Process:
    """The web server of the installation."""
    parent = psutil.Process(stage.installation.pid)
    return next(each for each in parent.children(recursive=True) if "webapp.asgi:application" in each.cmdline())


def run_states(stage: Stage) -> str:
    """What the other organisation's runs are observed to be."""
    return ", ".join(sorted({each["observed"] for each in stage.victim.get("runs/").json()}))
