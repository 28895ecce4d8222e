"""A run whose rows are numbered: which of them are lost, and how many came twice, is seen in what it committed."""

import json
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psutil

from streaming.spark.committed_rows import committed_lines

ROWS_A_FILE = 20
STREAM: dict[str, Any] = {
    "name": "ids",
    "definition": {
        "shape": "point",
        "fields": {"id": "long"},
        "event_time": {"start": {"column": "at", "unit": "us"}},
        "advance": {"generate": {"every": 1, "delay": "0s"}, "late": "drop"},
    },
    "adapter": {"kind": "file", "options": {"path": "ids", "follow": True, "format": "json_lines"}},
}
GRAPH: dict[str, Any] = {
    "version": 1,
    "name": "all_ids",
    "nodes": [
        {"kind": "input", "id": "ids", "stream": "ids"},
        {"kind": "filter", "id": "each", "input": "ids", "where": "id >= 0"},
        {"kind": "output", "id": "out", "input": "each"},
    ],
}
Call = Callable[[str, str, Any], Any]
"""Asks the API of the run's organisation: method, path below it, body; returns what it answers. Raises HTTPError."""


class Writer(threading.Thread):
    """Puts a file of rows with ever larger ids and times into the folder each second, or as said, whole."""

    def __init__(self, folder: Path, every_s: float = 1.0) -> None:
        super().__init__(daemon=True)
        self._every_s = every_s
        self.folder, self.rows, self.ended = folder, 0, threading.Event()
        folder.mkdir(parents=True)

    def run(self) -> None:
        while not self.ended.wait(self._every_s):
            lines = [json.dumps({"at": self.rows + each, "id": self.rows + each}) for each in range(ROWS_A_FILE)]
            part = self.folder / f"{self.rows:09}.jsonl.part"
            part.write_text("\n".join(lines) + "\n")
            part.replace(part.with_suffix(""))
            self.rows += ROWS_A_FILE

    def end(self) -> None:
        """Return when it writes nothing any more."""
        self.ended.set()
        self.join()


@dataclass(frozen=True)
class Losses:
    """What of `written` rows was not committed, or was committed more often than once."""

    written: int
    lost: int
    doubled: int


class NumberedRun:
    """A run over the files of a writer, in the organisation that `call` asks; `adapter_root` is what its adapters read.

    Its results are looked for in `results`, the organisation's folder of them, and go to `outputs` too.
    """

    def __init__(
        self, call: Call, adapter_root: Path, results: Path, outputs: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self._call = call
        self.writer = Writer(adapter_root / "ids")
        call("POST", "streams/", STREAM)
        version = call("POST", "queries/", {"graph": GRAPH, "comment": ""})["current"]["id"]
        said = {"name": "all_ids", "query_version": version, **({"outputs": list(outputs)} if outputs else {})}
        self.binding = call("POST", "bindings/", said)["id"]
        self.writer.start()
        self.run = call("POST", f"bindings/{self.binding}/start/", None)["id"]
        self._results = results / self.binding

    def states(self) -> set[str] | None:
        """What the page of the run and both lists say of it; None while nobody answers."""
        try:
            page = self._call("GET", f"runs/{self.run}/", None)["observed"]
            listed = self._call("GET", "runs/", None)
            bound = [each["latest_run"] for each in self._call("GET", "bindings/", None)]
        except httpx.HTTPError:
            return None
        return {page, *(each["observed"] for each in [*listed, *bound] if each and each["id"] == self.run)}

    def received(self) -> int:
        """The rows that it has read."""
        progress = self._call("GET", f"runs/{self.run}/", None)["progress"]
        read = {} if progress is None else progress["inputs"].get("ids", {})  # a first report may have read nothing
        return int(read.get("received", 0))

    def losses(self, most_s: float) -> Losses:
        """What became of the rows that are written now; waits `most_s` seconds for those that are still to come."""
        written, until = self.writer.rows, time.monotonic() + most_s
        while (found := self._committed(written)).lost and time.monotonic() < until:
            threading.Event().wait(0.5)
        return found

    def _committed(self, written: int) -> Losses:
        ids = [line["payload"]["id"] for line in committed_lines(self._results, "results")]
        return Losses(written, len(set(range(written)) - set(ids)), len(ids) - len(set(ids)))

    def deliveries(self) -> list[dict[str, Any]]:
        """What the page of the binding says of each output."""
        return [each["delivery"] or {} for each in self._call("GET", f"bindings/{self.binding}/", None)["outputs"]]

    def stop(self) -> None:
        """Stop it, and close no window."""
        self._call("POST", f"bindings/{self.binding}/stop/", {"flush": False})


def wait_until(happened: Callable[[], bool], most_s: float, what: str) -> float:
    """Return after how many seconds it happened. Raises AssertionError when it does not within `most_s`."""
    began = time.monotonic()
    while time.monotonic() - began < most_s:
        with suppress(psutil.Error, httpx.HTTPError):
            if happened():
                return time.monotonic() - began
        threading.Event().wait(0.25)
    raise AssertionError(f"{what} did not happen within {most_s} s")
