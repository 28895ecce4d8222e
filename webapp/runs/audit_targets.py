"""Names of bindings in the audit log."""

from typing import Final

from webapp.audit.recording import Target
from webapp.runs.models import Binding

BINDING_DELETED: Final = "binding.deleted"
"""The audit action that proves that the kept state of a binding is no longer needed."""


def target_of(binding: Binding) -> Target:
    """Return the binding as the audit log names it."""
    return Target("binding", binding.pk, binding.name)
