"""A binding with an adapter of an installed package: its rows and its own CTIs run like any other's."""

import json
from pathlib import Path

from streaming.spark.query.control import AddBinding
from streaming.spark.sink.committed_rows import committed_lines
from streaming.wire.messages import RunSpec
from tests.adapters.installing import ticker_installed
from tests.spark.loop import Loop
from tests.spark.specs import spec


def ticks(binding: str) -> RunSpec:
    """Return a count of the rows of ten seconds; only the adapter's CTIs advance time."""
    content = json.loads(spec(binding, "none").model_dump_json().replace("value", "n"))
    stream = content["inputs"]["readings"]["stream"]
    del stream["advance"]
    stream["fields"] = {"n": "long"}
    content["inputs"]["readings"]["adapter"] = {"kind": "ticker", "options": {"up_to": 40}}
    content["query"]["nodes"][2] |= {"group_by": [], "window": {"kind": "tumbling", "size": "10s"}}
    return RunSpec.model_validate_json(json.dumps(content))


def test_rows_of_an_installed_kind_become_results(tmp_path: Path) -> None:
    with ticker_installed(tmp_path / "package"):
        loop = Loop(tmp_path / "data", rows_per_batch=22)
        loop.carrier.control.append(
            AddBinding(kind="add", tick=0, spec=ticks("a"), bucket_ids=[0], lanes={}, at_end="flush")
        )
        loop.batch()
        results = tmp_path / "data" / "results" / "a"
        assert [line["payload"]["n"] for line in committed_lines(results, "results")] == [10], (
            "19 s is promised, 20 s is not"
        )
        loop.run()
    assert [line["payload"]["total"] for line in committed_lines(results, "results")] == [
        sum(range(first, first + 10)) for first in (0, 10, 20, 30)
    ]
