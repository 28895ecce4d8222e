"""The reconciler."""
from uuid import UUID


def reconcile_installation(organisation: UUID) -> None:
    """Reconcile."""
