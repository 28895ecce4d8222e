"""How the audit log names what is written here."""

from webapp.audit.recording import Target
from webapp.runs.models import Binding


def target_of(binding: Binding) -> Target:
    """Return the binding as the audit log names it."""
    return Target("binding", binding.pk, binding.name)
