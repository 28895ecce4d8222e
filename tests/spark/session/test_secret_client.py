"""Only the readers of a run request its secrets, so a missing secret stops no other binding."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from streaming.adapters.contract import AdapterError
from streaming.spark.query import binding
from streaming.spark.query.control import StopBinding
from tests.spark.loop import Loop
from tests.spark.planning.test_token_bucket import file_spec, write_lines
from tests.spark.test_loop import add, rows, states


@dataclass
class Runner:
    """A runner that can be asked for secrets, or not; `forget` makes its processes forget the bindings they built."""

    asked: bool = True
    by: list[str] = field(default_factory=list)

    def reveal(self, run: str, name: str, options: Mapping[str, Any], organisation: str) -> dict[str, Any]:
        self.by.append(run)
        if not self.asked and run.startswith("a"):
            raise AdapterError(f"no secret for {name}", domain="user")
        return dict(options)

    def gone(self, *_: str) -> None:
        """Start new processes, with a runner that refuses."""
        self.asked = False
        binding._BUILT.clear()


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> Iterator[Runner]:
    found = Runner()
    monkeypatch.setattr(binding, "reveal_secrets", found.reveal)
    binding._BUILT.clear()
    yield found
    binding._BUILT.clear()


@pytest.fixture
def loop(tmp_path: Path) -> Loop:
    write_lines(tmp_path / "lines.jsonl")
    return Loop(tmp_path, rows_per_batch=100)


def test_operators_and_sink_need_no_secret(loop: Loop, runner: Runner) -> None:
    add(loop, file_spec("a", "lines.jsonl"))
    manifest = loop.batch(lambda stage: runner.gone() if stage == "fed" else None)
    assert manifest is not None
    assert states([manifest], "a") == [("running", None, None)]
    assert sum(map(len, rows(loop, "a"))) > 0


@pytest.mark.parametrize("flush", [True, False])
def test_a_run_whose_secret_is_unavailable_stops_and_the_others_continue(
    loop: Loop, runner: Runner, flush: bool
) -> None:
    for name in ("a", "b"):
        add(loop, file_spec(name, "lines.jsonl"))
    loop.batch()
    runner.gone()
    loop.restart()
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding="a", flush=flush))
    manifests = loop.run()
    assert states(manifests, "a") == [("stopped", None, None)]
    assert states(manifests, "b")[-1][0] == "completed"


def test_a_refused_secret_fails_its_own_run_with_the_message(loop: Loop, runner: Runner) -> None:
    runner.gone()
    for name in ("a", "b"):
        add(loop, file_spec(name, "lines.jsonl"))
    manifests = loop.run()
    assert states(manifests, "a") == [("failed", "user", "no secret for readings")]
    assert states(manifests, "b")[-1][0] == "completed"
