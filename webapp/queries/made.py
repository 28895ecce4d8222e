"""Followers of new versions: other apps register functions that run in the transaction that makes a version."""

from collections.abc import Callable
from typing import Final

from webapp.queries.models import QueryVersion

Follow = Callable[[QueryVersion], None]
_followers: Final[list[Follow]] = []


def after_version(follow: Follow) -> Follow:
    """Call `follow` with each version that is made from now on."""
    _followers.append(follow)
    return follow


def version_was_made(version: QueryVersion) -> None:
    """Call all followers."""
    for follow in _followers:
        follow(version)
