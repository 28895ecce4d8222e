"""What a page showed before a start, as one word: a start of something else is not what somebody asked for."""

import hashlib
from typing import Final

from streaming.wire.kept import concealed_spec, shape_of
from streaming.wire.messages import RunSpec
from webapp.core.errors import Conflict
from webapp.runs.models import Binding, Run

CHANGED: Final = (
    "Nothing was started: since it was shown where {name} would begin, somebody started it, or changed it or what it "
    "reads. Look at where it would begin now, then start it."
)


class ChangedMeanwhile(Conflict):
    """A start would not begin as it was shown."""

    code = "changed_meanwhile"

    def __init__(self, binding: Binding) -> None:
        super().__init__(CHANGED.format(name=binding.name))


def mark_of(last: Run | None, spec: RunSpec) -> str:
    """Return what a start as `spec` after the run `last` is known by: another query, source or run before is another.

    Settings of time and options of adapters are of the specification; freshness and names are not told apart.
    """
    said = f"{'' if last is None else last.pk} {spec.dedicated} {shape_of(concealed_spec(spec))}"
    return hashlib.sha256(said.encode()).hexdigest()[:16]
