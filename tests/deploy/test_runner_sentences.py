"""The sentences of `make up` about runners, and how to change that."""

import pytest

from deploy.installation.services import carried_by


@pytest.mark.parametrize("environment", [{}, {"PUNCTUAL_POOLS": ""}, {"PUNCTUAL_POOLS": "0"}])
def test_own_runners_are_reported_with_how_to_share_one(environment: dict[str, str]) -> None:
    assert carried_by(environment).startswith("Each organisation has a runner of its own")
    assert "PUNCTUAL_POOLS=1 make up" in carried_by(environment)


def test_who_shares_runners_is_reported_how_many_there_are_and_how_to_have_none() -> None:
    assert carried_by({"PUNCTUAL_POOLS": "2"}).startswith("Runners shared by all organisations: 2")
    assert "PUNCTUAL_POOLS=0 make up" in carried_by({"PUNCTUAL_POOLS": "2"})
