"""The numbers of an organisation's boards and their versions."""

from webapp.accounts.limits.quotas import counts
from webapp.boards.models import Board, BoardVersion


@counts("boards")
def boards() -> int:
    """Return the number of boards of the organisation in context."""
    return Board.objects.count()


@counts("board_versions")
def board_versions() -> int:
    """Return the number of versions of all its boards."""
    return BoardVersion.objects.count()
