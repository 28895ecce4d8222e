"""One binding never stops another: a failure at any call of any stage ends only the run of its binding."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streaming.spark.query.manifests import Manifest
from streaming.spark.source.attempts import read_attempts
from tests.spark.injected import Injection, injecting
from tests.spark.loop import Loop
from tests.spark.specs import spec, write_readings
from tests.spark.test_loop import add, rows, states

BATCHES = 3
BAD, OTHERS = "b", ("a", "c")
ERRORS: tuple[Callable[[], Exception], ...] = (
    lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    lambda: KeyError("v\udcff"),
    lambda: IsADirectoryError(21, "Is a directory", "results/b"),
    MemoryError,
)
Rows = tuple[list[str], list[str]]
some = settings(max_examples=max(6, settings.default.max_examples // 8), suppress_health_check=[HealthCheck.too_slow])


def begun(home: Path) -> Loop:
    write_readings(home / "readings.jsonl", BATCHES)
    loop = Loop(home)
    for name in ("a", "b", "c"):
        add(loop, spec(name, "readings.jsonl"))
    return loop


def report_of(manifests: list[Manifest], run: str) -> dict[str, object]:
    """Return the last report of `run`, without values that depend on the wall clock."""
    reports = [report for manifest in manifests for report in manifest.reports if report.run == run]
    return reports[-1].model_dump(exclude={"at", "batch_s"})


@cache
def undisturbed() -> tuple[Rows, dict[str, dict[str, object]], list[tuple[str, int]]]:
    """Return the rows of each binding, the last reports, and the calls of the stages that concern one of them."""
    with TemporaryDirectory() as home:
        loop = begun(Path(home))
        with injecting(Injection(BAD)) as injection:
            manifests = loop.upheld()
        assert rows(loop, "a") == rows(loop, "b") == rows(loop, "c")
        reports = {name: report_of(manifests, f"{name}-1") for name in OTHERS}
        return rows(loop, "a"), reports, sorted(injection.calls.items())


def check(function: str, error: Callable[[], Exception], fails: Callable[[Loop, int], bool]) -> str:
    """Run three bindings while `function` fails for one of them; return the final state of its run.

    The others have the rows and reports of an undisturbed run, and so has the failed one after a start.
    """
    expected, reports, _ = undisturbed()
    with TemporaryDirectory() as home:
        loop = begun(Path(home))
        injection = Injection(BAD, lambda name, number: name == function and fails(loop, number), error)
        with injecting(injection):
            manifests = loop.upheld()
        for name in OTHERS:
            assert rows(loop, name) == expected
            assert report_of(manifests, f"{name}-1") == reports[name]
            assert states(manifests, name)[-1][0] == "completed"
        state, _, message = states(manifests, BAD)[-1]
        if state == "failed":
            assert message is not None
            assert message.endswith(".")
            assert "Traceback" not in message
            json.dumps(message, ensure_ascii=False).encode()
            add(loop, spec(BAD, "readings.jsonl", run="b-2"))
        add(loop, spec("d", "readings.jsonl"))
        manifests += loop.upheld()
        assert rows(loop, BAD) == rows(loop, "d") == expected
        assert {states(manifests, name)[-1][0] for name in (BAD, "d")} == {"completed"}
        return state


@some
@given(st.data())
def test_a_failure_at_any_call_changes_nothing_for_the_others(data: st.DataObject) -> None:
    """Fail once, like a binding that triggers a rare internal error."""
    function, calls = data.draw(st.sampled_from(undisturbed()[2]))
    at = data.draw(st.integers(1, calls))
    check(function, data.draw(st.sampled_from(ERRORS)), lambda _, number: number == at)


@some
@given(st.data())
def test_rows_that_fail_at_any_function_change_nothing_for_the_others(data: st.DataObject) -> None:
    """Fail whenever the batch is computed, like a poison row."""
    function, _ = data.draw(st.sampled_from(undisturbed()[2]))
    batch = data.draw(st.integers(1, BATCHES + 1))
    check(function, data.draw(st.sampled_from(ERRORS)), poisoned(batch))


def poisoned(batch: int) -> Callable[[Loop, int], bool]:
    """Return True if the attempt at `batch` computes the bad binding."""

    def fails(loop: Loop, _: int) -> bool:
        if loop.planned is None or loop.planned.n != batch:
            return False
        known = read_attempts(loop.carrier)
        probe = None if known.search is None else known.search.probe
        left_out = {key.partition("@")[0] for key in known.excluded_from(batch)}
        return BAD not in left_out and (probe is None or any(key.startswith(f"{BAD}@") for key in probe))

    return fails
