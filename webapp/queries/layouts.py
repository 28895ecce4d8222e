"""Positions of a query's nodes: stored apart from its versions, so that moving a node makes no version."""

from collections.abc import Mapping

from django.db import transaction

from streaming.definition.counts import counted
from streaming.definition.faults import FaultCode
from webapp.audit.recording import record
from webapp.core.errors import Faulty, fault
from webapp.queries.canvas_bodies import MOST_POSITIONS, NodePosition
from webapp.queries.models import Query, QueryLayout
from webapp.queries.services import target_of


def positions_of(query: Query) -> dict[str, NodePosition]:
    """Return the positions of the nodes of `query`, by id; also of older versions' nodes."""
    layout = QueryLayout.objects.filter(query=query).first()
    return {} if layout is None else {node: NodePosition(**at) for node, at in layout.positions.items()}


def move_nodes(*, query: Query, moved: Mapping[str, NodePosition | None]) -> dict[str, NodePosition]:
    """Move nodes of `query` (None: forget the position); return all positions then. Concurrent moves are merged.

    Raises `Faulty` for more positions than a query stores.
    """
    with transaction.atomic():
        Query.objects.select_for_update().get(pk=query.pk)  # two writers would each undo the other's nodes
        before = positions_of(query)
        after = {**before, **moved}
        kept = {node: at for node, at in after.items() if at is not None}
        if len(kept) > MOST_POSITIONS:
            message = (
                f"A query keeps {MOST_POSITIONS:,} positions, and these would be {counted(len(kept), 'position')}."
            )
            remedy = "Send null for nodes that the query no longer has."
            raise Faulty([fault(FaultCode.BAD_SHAPE, message, remedy, field="positions")])
        if kept != before:
            states = [{node: each[node].model_dump() for node in moved if node in each} for each in (before, kept)]
            positions = {node: at.model_dump() for node, at in kept.items()}
            QueryLayout.objects.update_or_create(query=query, defaults={"positions": positions})
            record("query.nodes_moved", target=target_of(query), before=states[0], after=states[1])
    return kept
