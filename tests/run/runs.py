"""A folder with a query and its inputs, and a run of them in this process."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from streaming.run.__main__ import main


@dataclass(frozen=True)
class Ran:
    """The result of a run: its exit code, its messages on standard error, and its standard output."""

    code: int
    messages: str
    printed: str

    @property
    def summary(self) -> Any:
        return json.loads(self.messages)


class Folder:
    def __init__(self, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.path = path
        self._capsys = capsys

    def write(self, name: str, content: str) -> str:
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(content, encoding="utf-8")
        return str(self.path / name)

    def lines(self, name: str, rows: Iterable[Any]) -> str:
        texts = (row if isinstance(row, str) else json.dumps(row) for row in rows)
        return self.write(name, "".join(f"{text}\n" for text in texts))

    def graph(self, *nodes: Mapping[str, Any], name: str = "q") -> str:
        return self.write("query.json", json.dumps({"version": 1, "name": name, "nodes": nodes}))

    def yaml(self, name: str, data: Any) -> str:
        return self.write(name, json.dumps(data))

    def run(self, query: str, inputs: Mapping[str, str], *more: str, output: str | None = "out.jsonl") -> Ran:
        arguments = ["--query", query]
        for name, path in inputs.items():
            arguments += ["--input", f"{name}={path}"]
        if output is not None:
            arguments += ["--output", output if output == "-" else str(self.path) + "/" + output]
        self._capsys.readouterr()
        code = main([*arguments, *more])
        out, messages = self._capsys.readouterr()
        return Ran(code, messages, out)

    def read(self, name: str = "out.jsonl") -> list[Any]:
        return [json.loads(line) for line in (self.path / name).read_text(encoding="utf-8").splitlines()]

    def names(self) -> Sequence[str]:
        return sorted(path.name for path in self.path.iterdir())


def node(of: str, kind: str, **more: Any) -> dict[str, Any]:
    return {"id": of, "kind": kind, **more}


PASS = (node("s", "input", stream="s"), node("out", "output", input="s"))
COUNT = (
    node("s", "input", stream="s"),
    node(
        "w",
        "window",
        input="s",
        window={"kind": "tumbling", "size": 10},
        aggregates=[{"name": "n", "function": "count"}],
    ),
    node("out", "output", input="w"),
)
CLOCK = {"s": {"generate": {"every": 1, "delay": 0}, "late": "drop"}}
