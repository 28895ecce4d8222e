"""An organisation is not moved to another runner while a version catches up that could not go along."""

from uuid import uuid4

import pytest
from django.utils import timezone

from tests.webapp.runs.runners.pool_world import PoolWorld, given_own
from tests.webapp.runs.runners.test_pooling import carriers_until, pooled, world
from tests.webapp.scene import Scene
from webapp.administration.pages import OrganisationForm
from webapp.core.context import installation_context, organisation_context
from webapp.runs.models import VersionChange
from webapp.runs.runners.pooling import MOVES_AFTER
from webapp.runs.states import ChangeState

__all__ = ["pooled", "world"]


def version_that_catches_up(scene: Scene) -> VersionChange:
    """Let another version read in parallel with its run."""
    run = scene.run
    with organisation_context(scene.person.organisation.pk):
        change = VersionChange(
            binding=run.binding,
            run=run,
            query_version=run.binding.query_version,
            version=2,
            from_version=run.binding.query_version_id,
            next_run=uuid4(),
            spec=run.spec,
            state=ChangeState.CATCHING_UP,
            created_at=timezone.now(),
        )
        change.save()
    return change


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize("ends", ["done", "never"])
def test_a_move_waits_for_a_version_that_catches_up(world: PoolWorld, pooled: Scene, own: bool, ends: str) -> None:
    acme = pooled.person.organisation.pk
    here, there = ("pool-1", str(acme)) if own else (str(acme), "pool-1")
    given_own(acme, own=not own)
    world.settle()
    change = version_that_catches_up(pooled)
    given_own(acme, own=own)
    world.settle()
    assert world.carried[str(acme)] == here
    with organisation_context(acme):
        if ends == "done":
            change.ended_at = timezone.now()
        else:
            change.created_at = timezone.now() - MOVES_AFTER
        change.save()
    carriers_until(world, str(acme), there)
    assert world.faults == []


def test_who_moves_an_organisation_sees_what_the_move_waits_for(pooled: Scene) -> None:
    version_that_catches_up(pooled)
    with installation_context("its page in the installation"):
        text = OrganisationForm(instance=pooled.person.organisation).fields["own_runner"].help_text
    assert "One run is now changing to another version: a move waits until the new version has taken over" in text
