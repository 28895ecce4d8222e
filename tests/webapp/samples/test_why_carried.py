"""Why a row is so whose run began with the state of another version: the rows that this had read are gone back to."""

from typing import Any

import pytest
from django.conf import LazySettings

from streaming.spark.query.control import StopBinding
from tests.webapp.runs.starts.test_carrying_over import ended, give, start, version_of, widened
from tests.webapp.samples.test_why import Stage, carried, looped, positions
from tests.webapp.scene import Scene
from webapp.samples.read_back import TRY_THERE
from webapp.samples.replaying import CARRIED_OVER

NEW = "fastest"


@pytest.fixture
def stage(scene: Scene, settings: LazySettings) -> Stage:
    """Two batches of the run, then the rest by one with another aggregate, with what was open: 12 s and 16 s."""
    loop = looped(scene, settings.PUNCTUAL_DATA)
    loop.batch()
    loop.batch()
    loop.carrier.control.append(StopBinding(kind="stop", tick=0, binding=scene.binding["id"], flush=False))
    loop.batch()
    ended(scene)
    give(scene, version_of(scene, widened()))
    started = start(scene)
    assert started.status_code == 201, started.json()
    scene.run_id = started.json()["id"]
    carried(loop, scene)
    loop.run()
    return Stage(scene, settings.PUNCTUAL_DATA)


def test_rows_from_before_the_start_are_among_those_that_made_a_row(stage: Stage) -> None:
    answer = stage.of(1, "CD 2")
    assert (answer["row"]["payload"]["n"], answer["row"]["incomplete_columns"]) == (2, [NEW])
    trace = answer["trace"]
    assert (trace["same"], positions(trace["made_of"]), positions(trace["missed"])) == (True, [5, 8], [10])
    assert answer["unread"] is None
    [note] = answer["notes"]
    assert note.startswith(f"The columns in which this row is incomplete ({NEW}) include only rows")


def test_an_impossible_repair_is_reported_with_what_to_do(stage: Stage) -> None:
    scene = stage.scene
    late = scene.person.get(f"runs/{scene.run.pk}/quarantine/").json()["rows"]
    body: dict[str, Any] = {"binding": scene.binding["id"], "ids": [late[0]["id"]]}
    for path, asked in (("samples/replay/", body), (f"bindings/{scene.binding['id']}/repairs/", body)):
        refused = scene.person.post(path, asked)
        assert refused.status_code == 422, refused.json()
        [fault] = refused.json()["faults"]
        assert (fault["message"], fault["remedy"]) == (CARRIED_OVER, TRY_THERE)
