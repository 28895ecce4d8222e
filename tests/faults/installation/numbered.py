"""A run with numbered rows: its committed rows show which ones are lost or repeated."""

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

from streaming.spark.sink.committed_rows import committed_lines

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
"""Calls the API of the run's organisation: method, path, body; returns the answer. Raises HTTPError."""


class Writer(threading.Thread):
    """Writes a whole file of rows with rising ids and times into the folder every `every_s`."""

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
        """Stop it, and return when it has stopped."""
        self.ended.set()
        self.join()


@dataclass(frozen=True)
class Losses:
    """The numbers of rows, of `written`, that were not committed, or were committed repeatedly."""

    written: int
    lost: int
    doubled: int


class NumberedRun:
    """A run over the files of a writer, in the organisation of `call`; its adapters read in `adapter_root`.

    `results` is the organisation's folder of results; they are delivered to `outputs` too.
    """

    def __init__(
        self, call: Call, adapter_root: Path, results: Path, outputs: Sequence[Mapping[str, Any]] = ()
    ) -> None:
        self._call = call
        self.writer = Writer(adapter_root / "ids")
        call("POST", "streams/", STREAM)
        version = call("POST", "queries/", {"graph": GRAPH, "comment": ""})["current"]["id"]
        body = {"name": "all_ids", "query_version": version, **({"outputs": list(outputs)} if outputs else {})}
        self.binding = call("POST", "bindings/", body)["id"]
        self.writer.start()
        self.run = call("POST", f"bindings/{self.binding}/start/", None)["id"]
        self._results = results / self.binding

    def states(self) -> set[str] | None:
        """Return its states on its page and in both lists; None without an answer."""
        try:
            page = self._call("GET", f"runs/{self.run}/", None)["observed"]
            listed = self._call("GET", "runs/", None)
            bound = [each["latest_run"] for each in self._call("GET", "bindings/", None)]
        except httpx.HTTPError:
            return None
        return {page, *(each["observed"] for each in [*listed, *bound] if each and each["id"] == self.run)}

    def received(self) -> int:
        """Return the number of rows that it has read."""
        progress = self._call("GET", f"runs/{self.run}/", None)["progress"]
        read = {} if progress is None else progress["inputs"].get("ids", {})  # the first report may be without rows
        return int(read.get("received", 0))

    def losses(self, most_s: float) -> Losses:
        """Return the losses of the rows written so far; wait at most `most_s` seconds for missing ones."""
        written, until = self.writer.rows, time.monotonic() + most_s
        while (found := self._committed(written)).lost and time.monotonic() < until:
            threading.Event().wait(0.5)
        return found

    def _committed(self, written: int) -> Losses:
        ids = [line["payload"]["id"] for line in committed_lines(self._results, "results")]
        return Losses(written, len(set(range(written)) - set(ids)), len(ids) - len(set(ids)))

    def deliveries(self) -> list[dict[str, Any]]:
        """Return the deliveries on the page of the binding, one for each output."""
        return [each["delivery"] or {} for each in self._call("GET", f"bindings/{self.binding}/", None)["outputs"]]

    def stop(self) -> None:
        """Stop it without closing windows."""
        self._call("POST", f"bindings/{self.binding}/stop/", {"flush": False})


def wait_until(happened: Callable[[], bool], most_s: float, what: str) -> float:
    """Wait until `happened`; return the seconds. Raises AssertionError after `most_s`."""
    began = time.monotonic()
    while time.monotonic() - began < most_s:
        with suppress(psutil.Error, httpx.HTTPError):
            if happened():
                return time.monotonic() - began
        threading.Event().wait(0.25)
    raise AssertionError(f"{what} did not happen within {most_s} s")
