"""The mark of a start as a page showed it, so that a start that would now differ can be refused."""

import hashlib
from typing import Final

from streaming.resume.restart_points import concealed_spec, shape_of
from streaming.wire.messages import RunSpec
from webapp.core.errors import Conflict
from webapp.runs.models import Binding, Run

CHANGED: Final = (
    "Not started. Since the start position of {name} was shown, somebody started it, or changed it or its inputs. "
    "Check where it would start now, then start it."
)


class ChangedMeanwhile(Conflict):
    """A start would no longer begin as it was shown."""

    code = "changed_meanwhile"

    def __init__(self, binding: Binding) -> None:
        super().__init__(CHANGED.format(name=binding.name))


def mark_of(last: Run | None, spec: RunSpec) -> str:
    """Return the mark of a start as `spec` after the run `last`; another query, source or last run gives another mark.

    Time settings and adapter options are part of the specification; freshness and names don't affect the mark.
    """
    content = f"{'' if last is None else last.pk} {spec.dedicated} {shape_of(concealed_spec(spec))}"
    return hashlib.sha256(content.encode()).hexdigest()[:16]
