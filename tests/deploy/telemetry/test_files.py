"""Dashboards and rules: generated, of metrics that exist, with every metric of bindings in some panel."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from deploy.telemetry.__main__ import FOLDER, texts
from deploy.telemetry.dashboards import BINDINGS, INSTALLATION
from tests.conftest import ROOT
from webapp.telemetry import metrics
from webapp.telemetry.metrics import INVENTORY, OF_BINDINGS

NAME = re.compile(r"\b(?:punctual|process)_[a-z_]+\b")
RULES = FOLDER / "punctual.rules.yaml"
TESTS = ROOT / "tests" / "deploy" / "telemetry" / "rules.test.yaml"


def named(expression: str) -> set[str]:
    return {name.removesuffix("_bucket") for name in NAME.findall(expression)}


@pytest.mark.parametrize("name", list(texts()))
def test_the_files_are_what_the_code_says(name: str) -> None:
    assert (FOLDER / name).read_text() == texts()[name], "write it again: python -m deploy.telemetry"


def test_every_expression_is_about_metrics_of_the_inventory() -> None:
    rules = yaml.safe_load(RULES.read_text())["groups"][0]["rules"]
    panels = [expression for panel in (*BINDINGS, *INSTALLATION) for expression in panel.expressions.values()]
    for expression in (*panels, *(rule["expr"] for rule in rules)):
        assert named(expression), expression
        assert named(expression) <= set(INVENTORY), expression


def test_every_metric_of_bindings_is_on_the_dashboard_of_bindings() -> None:
    shown = set.union(*(named(each) for panel in BINDINGS for each in panel.expressions.values()))
    assert {each.name for each in OF_BINDINGS} - shown == {metrics.BINDING_INFO.name}  # it fills the variables


def test_panels_do_not_overlap_and_their_targets_have_different_letters() -> None:
    for name in ("bindings.json", "installation.json"):
        taken: set[tuple[int, int]] = set()
        for panel in json.loads((FOLDER / name).read_text())["panels"]:
            place = panel["gridPos"]
            own = {
                (x, y)
                for x in range(place["x"], place["x"] + place["w"])
                for y in range(place["y"], place["y"] + place["h"])
            }
            assert not own & taken, panel["title"]
            assert place["x"] + place["w"] <= 24
            taken |= own
            letters = [target["refId"] for target in panel["targets"]]
            assert len(set(letters)) == len(letters)


def test_every_rule_fires_in_a_test() -> None:
    rules = yaml.safe_load(RULES.read_text())["groups"][0]["rules"]
    expected = TESTS.read_text()
    for rule in rules:
        assert f'alertname="{rule["alert"]}",alertstate="firing",severity="{rule["labels"]["severity"]}"' in expected


@pytest.mark.thorough
def test_promtool_accepts_the_rules_and_they_fire_as_expected(tmp_path: Path) -> None:
    for path in (RULES, TESTS):
        shutil.copy(path, tmp_path)
    for words in (["check", "rules", RULES.name], ["test", "rules", TESTS.name]):
        done = subprocess.run(["/usr/bin/promtool", *words], cwd=tmp_path, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
