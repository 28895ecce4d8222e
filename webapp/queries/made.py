"""What follows a new version: rooms above say what they do then, in the transaction that makes it."""

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
    """Tell everybody who follows."""
    for follow in _followers:
        follow(version)
