"""A page does not say "running" of a run whose runner is dead, though nobody else has noticed it yet."""

from typing import Any

import pytest
from django.test import Client

from streaming.wire import keys
from tests.webapp.scene import Scene
from webapp.accounts.models import User
from webapp.monitoring.live_stream import LOOK_S
from webapp.runs.lifecycle.liveness import NEWER_RUNNER

BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


@pytest.fixture
def watched(scene: Scene) -> Scene:
    """A run that runs; from now on no turn of the reconciler is made, as when beat or worker are dead."""
    return scene.running()


def views_of(scene: Scene) -> list[dict[str, Any]]:
    """Return the run's state on each page and list."""
    binding = scene.person.get(f"bindings/{scene.binding['id']}/").json()["latest_run"]
    listed = [each["latest_run"] for each in scene.person.get("bindings/").json()]
    return [scene.person.get(f"runs/{scene.run_id}/").json(), *scene.person.get("runs/").json(), binding, *listed]


def states(scene: Scene) -> set[str]:
    found = views_of(scene)
    assert len(found) == 4
    return {each["observed"] for each in found}


def test_a_run_is_unknown_as_soon_as_its_runner_has_no_lease_though_nobody_reconciles(watched: Scene) -> None:
    assert states(watched) == {"running"}
    watched.silence()
    assert states(watched) == {"lost"}
    assert watched.run.observed == "running"
    first = views_of(watched)[0]
    assert first["message"].startswith("Unknown since 12:00:06 UTC: its runner stopped responding")
    assert first["changed_at"].startswith("2026-11-21T12:00:06")


def test_administrators_of_the_installation_see_the_same(watched: Scene) -> None:
    User.objects.create_superuser("ada@installation.example", "a long enough password")
    client = Client()
    client.force_login(User.objects.get(email="ada@installation.example"), backend=BACKEND)
    watched.silence()
    text = client.get("/installation/runs/run/").content.decode()
    assert '<td class="field-seen">lost</td>' in text
    assert "Unknown since" in text


def test_it_is_unknown_since_its_last_report(watched: Scene) -> None:
    watched.clock.pass_by(600)
    watched.progress(batch=3)
    watched.lease()
    watched.turn(0)
    watched.silence()
    assert views_of(watched)[0]["message"].startswith("Unknown since 12:10:06 UTC")


def test_it_recovers_from_when_a_new_runner_lives_until_that_says_that_it_runs(watched: Scene) -> None:
    watched.clock.pass_by(30)
    watched.lease(started_at=watched.clock.ticks)
    assert states(watched) == {"recovering"}
    assert views_of(watched)[0]["changed_at"].startswith("2026-11-21T12:00:36")
    watched.turn()
    assert states(watched) == {"recovering"}
    watched.report("starting")
    watched.turn()
    assert states(watched) == {"recovering"}
    watched.report("running")
    watched.turn()
    assert states(watched) == {"running"}


def test_a_runner_that_only_says_running_again_is_believed(watched: Scene) -> None:
    watched.clock.pass_by(30)
    watched.lease(started_at=watched.clock.ticks)
    watched.clock.pass_by(30)
    watched.report("running")
    watched.turn()
    assert states(watched) == {"running"}
    assert watched.run.observed == "running"


def test_while_redis_is_away_nothing_is_claimed_of_the_runner(watched: Scene, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    assert states(watched) == {"lost"}
    assert "Redis server can't be reached" in views_of(watched)[0]["message"]


@pytest.mark.parametrize("content", ["", "{}", "no lease", '{"token": "t", "started": "later"}'])
def test_a_lease_that_cannot_be_read_is_of_a_newer_runner_that_lives(watched: Scene, content: str) -> None:
    watched.connection.set(keys.lease(watched.organisation), content)
    assert states(watched) == {"running"}
    assert views_of(watched)[0]["message"] == NEWER_RUNNER
    watched.turn()
    assert watched.run.observed == "running"
    assert watched.launcher.launches == [watched.person.organisation.pk], "no second runner"


def test_a_run_that_has_ended_needs_no_runner(watched: Scene) -> None:
    watched.report("stopped")
    watched.turn()
    watched.silence()
    assert states(watched) == {"stopped"}


def test_an_open_page_is_updated_within_seconds() -> None:
    assert keys.LEASE_TTL_S + LOOK_S < 15
