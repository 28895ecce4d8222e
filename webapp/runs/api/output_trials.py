"""The connection test of outputs, over HTTP."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from streaming.definition.faults import Fault
from streaming.definition.strict import Strict
from webapp.accounts.access import TenantView
from webapp.core.api import answer, read_body
from webapp.core.errors import ErrorEnvelope
from webapp.runs.access import access_binding
from webapp.runs.api.refused_requests import REFUSALS
from webapp.runs.outputs.bound_outputs import OutputSettings
from webapp.runs.outputs.output_trials import tried_outputs


class OutputsTrialBody(Strict):
    """Outputs as a form has them; stored outputs keep their secrets by their identity."""

    outputs: list[OutputSettings]


class OutputsTried(Strict):
    """The errors of the outputs; `field` names the output. Empty: all of them would take results now."""

    faults: list[Fault]


class OutputsCheckView(TenantView):
    """The connection test of outputs."""

    @extend_schema(
        operation_id="outputs_check",
        request=OutputsTrialBody,
        responses={200: OutputsTried, 429: ErrorEnvelope, **REFUSALS},
    )
    def post(self, request: Request, slug: str, binding: UUID) -> Response:
        """Connect as the first delivery would and leave nothing there; a webhook gets a request marked `test`."""
        found = access_binding(binding)
        return answer(OutputsTried(faults=tried_outputs(found, read_body(request, OutputsTrialBody).outputs)))
