"""The runner of each organisation: never two, the one with its state if possible, and the reason for a move."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import redis
from hypothesis import given
from hypothesis import strategies as st

from streaming.storage.result_location import noted_location
from streaming.wire import keys
from streaming.wire.sealed import Keyring
from tests.webapp.conftest import Person
from tests.webapp.runs.runners.pool_world import (
    NEVER,
    STARTS_IN,
    Breaking,
    PoolWorld,
    again,
    all_ended,
    folder_of,
    given_own,
    noted,
)
from tests.webapp.scene import Scene
from webapp.accounts.models import Organisation
from webapp.core.context import installation_context, organisation_context
from webapp.core.secrets import organisation_keys, pool_keys
from webapp.runs.runner_models import PooledRunner, RunnerLaunch, SeatInPool
from webapp.runs.runners.launching import sizes_to_come
from webapp.runs.runners.pooling import PoolStanding, RunnerAssignment, decide
from webapp.runs.runners.redis_users import address_for, user_of

POOLS = st.integers(1, 4)
STANDINGS = st.builds(
    PoolStanding,
    own=st.booleans(),
    active=st.booleans(),
    kept=st.frozensets(POOLS, max_size=1),
    seat=st.none() | POOLS,
    carrier=st.none() | st.just(keys.OWN) | POOLS,
)


@given(
    known=STANDINGS,
    pools=st.integers(0, 3),
    free=st.none() | st.integers(1, 3),
    ready=st.tuples(st.booleans(), st.booleans()),
)
def test_only_a_pool_with_stored_data_serves_until_it_has_released_them(
    known: PoolStanding, pools: int, free: int | None, ready: tuple[bool, bool]
) -> None:
    room = free if free is not None and free <= pools else None
    found = decide(known, pools, lambda: room, lambda _: ready[0], lambda: ready[1])
    assert found.leaves == (found.place not in {None, keys.OWN} and known.own)
    home = min(known.kept, default=None)
    if home is not None:
        assert not found.own
        assert found.seat == home or (found.seat is None and not known.active)
    if found.seat is not None and home is None:
        assert known.active
        assert found.seat <= pools
        assert not known.own
    if known.active:
        assert found.own or found.seat is not None or found.full
    assert found.place in {None, keys.OWN, *(keys.pool_name(each) for each in range(1, pools + 1))}


@pytest.fixture
def pooled(scene: Scene, settings: Any) -> Scene:
    settings.POOLS = 2
    settings.POOL_ORGANISATIONS = 1
    return scene


@pytest.fixture
def world(pooled: Scene, charlie: Person, redis_server_url: str) -> Iterator[PoolWorld]:
    with Breaking.from_url(redis_server_url) as connection:
        yield PoolWorld(connection, pooled.clock, [pooled.person.organisation.pk, charlie.organisation.pk])


def test_pools_are_off_unless_they_are_switched_on(scene: Scene) -> None:
    scene.turn()
    assert (scene.launcher.pools, len(scene.launcher.launches)) == ([], 1)
    assert scene.connection.get(keys.place(scene.organisation)) == b"own"


def test_a_requested_run_gets_a_place_in_a_pool_that_is_launched_with_its_keys(pooled: Scene, settings: Any) -> None:
    settings.RESULTS = "s3://bucket/all"
    pooled.turn()
    acme = pooled.person.organisation.pk
    assert (pooled.launcher.launches, pooled.launcher.pools) == ([], [(1, [acme])])
    [(name, sealed)] = pooled.connection.hgetall(keys.seated("pool-1")).items()
    assert name.decode() == pooled.organisation
    assert json.loads(Keyring(pool_keys("pool-1")).open(sealed.decode())) == organisation_keys(acme)
    assert pooled.connection.get(keys.place(pooled.organisation)) == b"pool-1"
    assert noted_location(folder_of(pooled.organisation)) == f"s3://bucket/all/{acme}"


def test_the_keys_of_pools_are_their_own() -> None:
    names = [pool_keys("pool-1"), pool_keys("pool-2")]
    assert len({key for each in names for key in each}) == sum(map(len, names))


def test_a_pool_reaches_the_keys_of_those_that_it_serves_and_no_others(pooled: Scene, charlie: Person) -> None:
    pooled.turn()
    zeta = str(charlie.organisation.pk)
    with redis.Redis.from_url(address_for("pool-1", [pooled.person.organisation.pk])) as runner:
        assert runner.hgetall(keys.desired(pooled.organisation))
        assert runner.hgetall(keys.seated("pool-1"))
        for key in (keys.lease(zeta), keys.seated("pool-2"), "celery"):
            with pytest.raises(redis.ResponseError, match=r"(?i)no permissions"):
                runner.get(key)
    pooled.connection.acl_deluser(user_of("pool-1"))


def test_what_is_sealed_for_a_pool_opens_in_no_other_and_for_no_organisation(pooled: Scene) -> None:
    from streaming.wire.sealed import SealBroken

    pooled.turn()
    [sealed] = pooled.connection.hvals(keys.seated("pool-1"))
    for stranger in (pool_keys("pool-2"), organisation_keys(pooled.person.organisation.pk)):
        with pytest.raises(SealBroken):
            Keyring(stranger).open(sealed.decode())


def test_organisations_fill_one_pool_before_the_next_and_wait_when_all_are_full(
    pooled: Scene, charlie: Person, settings: Any
) -> None:
    with organisation_context(charlie.organisation.pk):
        SeatInPool(pool=1).save()
    pooled.turn()
    assert [number for number, _ in pooled.launcher.pools] == [2]
    settings.POOLS = 1
    with organisation_context(pooled.person.organisation.pk):
        SeatInPool.objects.all().delete()
    pooled.turn()
    assert "All pooled runners of this installation (1) are full" in (pooled.run.message or "")
    settings.POOL_ORGANISATIONS = 2
    pooled.turn()
    assert pooled.run.message is None
    with organisation_context(pooled.person.organisation.pk):
        assert SeatInPool.objects.get().pool == 1


def test_a_pool_is_never_launched_twice_and_backs_off_and_says_so(pooled: Scene) -> None:
    for _ in range(5):
        pooled.turn()
        pooled.pool_turn(1)
    assert len(pooled.launcher.pools) == 1
    pooled.launcher.living.clear()
    for _ in range(40):
        pooled.turn()
        pooled.launcher.living.clear()
        pooled.pool_turn(1)
        pooled.launcher.living.clear()
    assert 4 <= len(pooled.launcher.pools) <= 8
    assert "before it could report" in (pooled.run.message or "")
    assert pooled.launcher.launches == []


def test_a_pool_takes_a_place_of_the_installation_and_those_in_it_take_none(
    pooled: Scene, charlie: Person, settings: Any
) -> None:
    settings.MOST_RUNNERS = 1
    pooled.turn()
    pooled.lease_of_pool(1)
    pooled.pool_turn(1)
    given_own(charlie.organisation.pk, own=True)
    with organisation_context(pooled.person.organisation.pk):
        RunnerLaunch.objects.create(host="here", pid=98, launched_at=pooled.clock(), attempts=0)
    pooled.turn()
    with organisation_context(pooled.person.organisation.pk):
        assert not RunnerLaunch.objects.exists()
    settings.MOST_RUNNERS = 2
    settings.POOL_ORGANISATIONS = 2
    with installation_context("a test counts"):
        assert PooledRunner.objects.get().attempts == 0


@pytest.mark.parametrize("content", ["{broken", "[]", '{"binding": 5}', '{"binding": ["pool-x", 1]}'])
def test_where_it_cannot_be_read_what_a_pool_keeps_nothing_is_launched(pooled: Scene, content: str) -> None:
    noted(folder_of(pooled.organisation), "pool-1")
    (folder_of(pooled.organisation) / "carriers" / "homes.json").write_text(content)
    pooled.turn()
    assert (pooled.launcher.launches, pooled.launcher.pools) == ([], [])
    assert "The record of where this organisation's state is kept" in (pooled.run.message or "")


def test_an_own_runner_of_another_size_is_ended_and_launched_again(scene: Scene) -> None:
    from webapp.runs.runner_models import OwnRunner

    scene.running()
    with organisation_context(scene.person.organisation.pk):
        OwnRunner(heap_mb=4_096, worker_mb=512, cores=1).save()
    scene.turn()
    assert scene.launcher.ended == [1]
    scene.silence()
    scene.turn()
    assert scene.launcher.scales == [(None, None, None), (4_096, 512, 1)]
    scene.lease()
    scene.turn()
    assert scene.launcher.ended == [1]


def test_an_organisation_that_is_to_be_deleted_leaves_its_pool(world: PoolWorld, pooled: Scene) -> None:
    world.settle()
    acme = pooled.person.organisation.pk
    assert world.carried == {str(acme): "pool-1"}
    all_ended(acme, pooled.clock())
    with installation_context("a test condemns an organisation"):
        Organisation.objects.filter(pk=acme).update(delete_after=pooled.clock() + timedelta(days=1))
    world.settle()
    with organisation_context(acme):
        assert not SeatInPool.objects.exists()
    assert json.loads((folder_of(str(acme)) / "carriers" / "homes.json").read_text()) == {"binding": ["nowhere", 1]}
    assert (world.processes, world.faults) == ([], [])


def history(world: PoolWorld, scene: Scene, breaks: int = NEVER) -> list[str]:
    """Into the pool, to its own runner, back, down and up again, the pool killed; who carries it after each.

    At its command number `breaks`, counted in each part, the worker dies in each part once.
    """
    acme = scene.person.organisation.pk
    seen = []
    for part in (
        lambda: None,
        lambda: given_own(acme, own=True),
        lambda: given_own(acme, own=False),
        lambda: world.kill(next(each.pid for each in world.processes if each.pooled)),
        lambda: all_ended(acme, scene.clock()),
        lambda: again(acme),
    ):
        part()
        world.breaks = breaks
        world.settle(14)
        seen.append(world.carried.get(str(acme), "nobody"))
    assert world.faults == []
    return seen


EXPECTED = ["pool-1", "own", "pool-1", "pool-1", "nobody", "pool-1"]


def expected(scene: Scene) -> list[str]:
    return [scene.organisation if each == keys.OWN else each for each in EXPECTED]


@pytest.mark.parametrize("standing", [0, 9])
def test_an_organisation_goes_where_it_is_wished_and_is_never_served_by_two(
    world: PoolWorld, pooled: Scene, standing: int
) -> None:
    world.standing = standing
    assert history(world, pooled) == expected(pooled)
    assert [each.name for each in world.processes] == ["pool-1"]


@pytest.mark.thorough
@pytest.mark.parametrize("standing", [0, 9])
@pytest.mark.parametrize("breaks", range(1, 60))
def test_a_worker_that_dies_at_any_command_changes_nothing_of_that(
    world: PoolWorld, pooled: Scene, breaks: int, standing: int
) -> None:
    world.standing = standing
    assert history(world, pooled, breaks) == expected(pooled)


def test_who_has_its_own_runner_stays_there_until_the_pool_is_ready(world: PoolWorld, pooled: Scene) -> None:
    acme = pooled.person.organisation.pk
    given_own(acme, own=True)
    world.settle()
    given_own(acme, own=False)
    carriers = []
    while not carriers or carriers[-1] != "pool-1":
        world.turn()
        carriers.append(world.carried.get(str(acme), "nobody"))
        assert len(carriers) < 30
    assert carriers[:2] == [str(acme)] * 2
    assert carriers.count("nobody") <= 1


def test_a_full_pool_changes_nothing_for_who_has_a_runner_of_its_own_already(pooled: Scene, settings: Any) -> None:
    known = PoolStanding(own=False, active=True, kept=frozenset(), seat=None, carrier=keys.OWN)
    assert decide(known, 2, lambda: None, lambda _: True, lambda: True) == RunnerAssignment(keys.OWN, None)


def carriers_until(world: PoolWorld, organisation: str, last: str) -> list[str]:
    """Return the executing process after each turn, until it is `last`."""
    seen: list[str] = []
    while not seen or seen[-1] != last:
        world.turn()
        seen.append(world.carried.get(organisation, "nobody"))
        assert len(seen) < 30
    return seen


def test_a_pool_carries_an_organisation_until_its_own_runner_is_up(world: PoolWorld, pooled: Scene) -> None:
    acme = pooled.person.organisation.pk
    world.settle()
    given_own(acme, own=True)
    seen = carriers_until(world, str(acme), str(acme))
    assert seen[: STARTS_IN + 1] == ["pool-1"] * (STARTS_IN + 1)
    assert seen.count("nobody") <= STARTS_IN
    assert world.faults == []


def test_an_organisation_leaves_its_pool_also_where_no_runner_comes_up_before(world: PoolWorld, pooled: Scene) -> None:
    acme = pooled.person.organisation.pk
    world.settle()
    world.prepares = False
    given_own(acme, own=True)
    carriers_until(world, str(acme), str(acme))
    assert world.faults == []


def test_an_organisation_stays_in_its_pool_while_there_is_no_place_for_a_runner_of_its_own(
    world: PoolWorld, pooled: Scene, settings: Any
) -> None:
    acme = pooled.person.organisation.pk
    world.settle()
    settings.MOST_RUNNERS = 1
    given_own(acme, own=True)
    world.settle()
    assert (world.carried[str(acme)], world.prepared) == ("pool-1", None)
    settings.MOST_RUNNERS = 2
    world.settle()
    assert world.carried[str(acme)] == str(acme)


def test_what_is_prepared_is_as_large_as_its_organisation_is_to_have_it_and_only_until_it_is_launched(
    pooled: Scene,
) -> None:
    from webapp.runs.runner_models import OwnRunner

    acme = pooled.person.organisation.pk
    pooled.turn()
    pooled.lease_of_pool(1)
    noted(folder_of(str(acme)), "pool-1")
    pooled.launcher.prepared = False
    with organisation_context(acme):
        OwnRunner(heap_mb=4_096, worker_mb=512, cores=1).save()
    pooled.turn()
    assert pooled.launcher.prepares == [(4_096, 512, 1)]
    assert pooled.connection.get(keys.place(pooled.organisation)) == b"pool-1"
    assert sizes_to_come() == {(4_096, 512, 1)}
    pooled.launcher.prepared = True
    pooled.turn()
    assert pooled.connection.get(keys.place(pooled.organisation)) == b"own"
    noted(folder_of(str(acme)), "nowhere")
    pooled.silence()
    pooled.turn()
    assert pooled.launcher.scales == [(4_096, 512, 1)]
    assert sizes_to_come() == set()


def test_a_pool_is_called_for_the_organisation_with_new_desired_state(pooled: Scene) -> None:
    pooled.turn()
    assert pooled.connection.lrange(keys.calls("pool-1"), 0, -1) == [pooled.organisation.encode()]
    assert not pooled.connection.exists(keys.calls(pooled.organisation))
