"""An output of a binding that has a refused request, as a runner leaves it."""

from uuid import UUID, uuid4

from streaming.definition.streams.stream import AdapterChoice
from streaming.storage.refused_requests import StoredRefusedRequest, write_refused
from webapp.runs.kept_folders import rows_beside
from webapp.runs.models import Binding
from webapp.runs.outputs.bound_outputs import BoundOutput, write_outputs


def output_with_refused(binding: UUID, reason: str = "it is full") -> str:
    """Give the binding, of the current organisation, an output whose target has refused a row; its identity."""
    found = Binding.objects.get(pk=binding)
    options = {"path": "out"}
    output = BoundOutput(
        identity=str(uuid4()), node="out", adapter=AdapterChoice(kind="file", options=options), fields={}
    )
    write_outputs(found, [output])
    found.save(update_fields=["outputs"])
    request = StoredRefusedRequest(number=3, part=0, at=5_000_000, reason=reason, row_count=1)
    write_refused(rows_beside(binding), output.identity, request, [{"output": "out", "start": 1, "payload": {"n": 1}}])
    return output.identity
