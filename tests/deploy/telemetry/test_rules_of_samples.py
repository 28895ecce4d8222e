"""The alert rules on the product's own samples, in which a value that is not known has no series."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import UUID

import pytest
import yaml
from prometheus_client.samples import Sample

from deploy.telemetry.__main__ import FOLDER
from streaming.wire.progress import InputCounts
from tests.webapp.live.reporting import MINUTE, SECOND, input_counts
from webapp.runs.lifecycle.state_events import RunState
from webapp.runs.states import Desired, Observed
from webapp.telemetry.families import MetricFamilies
from webapp.telemetry.gathering import BindingSample, NewestRun, RunReport
from webapp.telemetry.metrics import OF_BINDINGS
from webapp.telemetry.samples import add_binding

RULES = FOLDER / "punctual.rules.yaml"
STATE = RunState(
    run="1",
    desired=Desired.RUNNING,
    observed=Observed.RUNNING,
    domain=None,
    message=None,
    changed_at="1970-01-01T00:00:00+00:00",
    ended_at=None,
)


def reported(minute: int, inputs: dict[str, InputCounts]) -> BindingSample:
    """A binding with a run since minute 0 that reports these totals."""
    report = RunReport(minute * MINUTE, inputs, {}, results=0, quarantined=0, batch_s=0.1, failed=0)
    return BindingSample(
        organisation="acme",
        name="watch",
        id=UUID(int=1),
        query="speeding",
        freshness=SECOND,
        run=NewestRun(STATE, 0, report),
        targets=(),
        retained={},
        quarantine_bytes=None,
        repaired_rows=0,
        firing={},
    )


def scraped(binding: BindingSample) -> dict[str, float]:
    """The value of each series."""
    families = MetricFamilies(OF_BINDINGS)
    add_binding(families, binding)
    return {series(sample): sample.value for family in families.collect() for sample in family.samples}


def series(sample: Sample) -> str:
    labels = ",".join(f'{name}="{value}"' for name, value in sample.labels.items())
    return f"{sample.name}{{{labels}}}"


def input_series(scrapes: Sequence[dict[str, float]]) -> list[dict[str, str]]:
    """Series as promtool reads them, a value for each minute; a series that a scrape lacks is stale."""
    names = dict.fromkeys(name for scrape in scrapes for name in scrape)
    return [
        {"series": name, "values": " ".join(repr(each[name]) if name in each else "stale" for each in scrapes)}
        for name in names
    ]


def firing(name: str, severity: str) -> str:
    own = 'organisation="acme",binding="watch"'
    return f'ALERTS{{alertname="{name}",alertstate="firing",severity="{severity}",{own}}}'


def require_alerts(
    folder: Path, minutes: Sequence[dict[str, InputCounts]], expected: Mapping[int, Sequence[str]]
) -> None:
    """Evaluate the rules on the samples of one report a minute, and compare the alerts that fire at some minutes."""
    cases = [
        {
            "expr": 'ALERTS{alertstate="firing"}',
            "eval_time": f"{minute}m",
            "exp_samples": [{"labels": each, "value": 1} for each in alerts],
        }
        for minute, alerts in expected.items()
    ]
    scrapes = [scraped(reported(minute, inputs)) for minute, inputs in enumerate(minutes)]
    tests = [{"interval": "1m", "input_series": input_series(scrapes), "promql_expr_test": cases}]
    content = {"rule_files": [RULES.name], "evaluation_interval": "30s", "tests": tests}
    (folder / "test.yaml").write_text(yaml.safe_dump(content))
    shutil.copy(RULES, folder)
    command = ["/usr/bin/promtool", "test", "rules", "test.yaml"]
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.thorough
def test_one_burst_of_lost_rows_fires_although_no_row_was_lost_before(tmp_path: Path) -> None:
    def totals(minute: int) -> dict[str, InputCounts]:
        lost = {"dropped_late": 500} if minute >= 10 else {}
        return {"cars": input_counts({"on_time": 1_000 * (minute + 1), **lost}, minute * MINUTE)}

    # 500 of about 5,500 rows of 5 minutes: more than 1 %
    lost = [firing("PunctualRowsLost", "warning"), firing("PunctualRowsLost", "critical")]
    require_alerts(tmp_path, [totals(minute) for minute in range(20)], {9: [], 11: lost, 17: []})


@pytest.mark.thorough
def test_an_input_that_never_had_a_cti_delays_everything_until_it_ends(tmp_path: Path) -> None:
    def totals(minute: int) -> dict[str, InputCounts]:
        gates = input_counts({}, None).model_copy(update={"ended": minute >= 12})
        return {"cars": input_counts({"on_time": 1_000 * (minute + 1)}, minute * MINUTE), "gates": gates}

    stuck = [firing("PunctualNoProgress", "critical")]
    require_alerts(tmp_path, [totals(minute) for minute in range(20)], {5: [], 7: stuck, 13: []})


@pytest.mark.thorough
def test_an_input_whose_ctis_come_with_its_rows_lags_without_a_delay(tmp_path: Path) -> None:
    def totals(minute: int) -> dict[str, InputCounts]:
        return {"cars": input_counts({"on_time": 1_000 * (minute + 1)}, (minute - 5) * MINUTE)}

    own = 'organisation="acme",binding="watch",input="cars"'
    lags = [
        f'ALERTS{{alertname="PunctualLag",alertstate="firing",severity="{each}",{own}}}'
        for each in ("warning", "critical")
    ]
    require_alerts(tmp_path, [totals(minute) for minute in range(20)], {0: [], 5: lags})
