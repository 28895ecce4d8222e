"""What `make up` says of the runners that it will start, and how to have them otherwise."""

import pytest

from deploy.installation.services import carried_by


@pytest.mark.parametrize("said", [{}, {"PUNCTUAL_POOLS": ""}, {"PUNCTUAL_POOLS": "0"}])
def test_who_has_a_runner_of_its_own_is_told_so_and_how_to_share_one(said: dict[str, str]) -> None:
    assert carried_by(said).startswith("Each organisation has a runner of its own")
    assert "PUNCTUAL_POOLS=1 make up" in carried_by(said)


def test_who_shares_runners_is_told_how_many_there_are_and_how_to_have_none() -> None:
    assert carried_by({"PUNCTUAL_POOLS": "2"}).startswith("Runners that all organisations share: 2")
    assert "PUNCTUAL_POOLS=0 make up" in carried_by({"PUNCTUAL_POOLS": "2"})
