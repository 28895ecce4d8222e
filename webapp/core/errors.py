"""What can be refused, each as one exception, and the one envelope in which the API says so.

ApiError      a request is refused; its subclasses carry the status and the code
  NotFound    absent, or not yours: deliberately the same
  Forbidden   your role does not allow it
  Conflict    the state does not allow it now
  Faulty      what was sent has faults; all of them are listed
  TooLarge    the body is larger than this address takes
  Busy        as much of this as may run at once is running
  TooMuchWork what was sent needs more time, memory or output than there is for it
  ClientGone  nobody waits for the answer any more
  Unavailable Redis is away, without which this is not done
  Locked      others write to the database for too long
  Unreadable  the body is no JSON that anybody means
"""

import logging
import sys
from collections.abc import Sequence
from typing import Any, Final, Literal

import redis
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views import defaults
from pydantic import SerializeAsAny, ValidationError
from rest_framework import exceptions
from rest_framework.response import Response

from streaming.definition.counts import counted
from streaming.definition.faults import Fault, FaultCode, Severity
from streaming.definition.shape_errors import shape_errors
from streaming.definition.strict import Strict
from streaming.wire.storage import StoreUnreachable
from webapp.core.context import request_id
from webapp.core.locked import is_locked

logger = logging.getLogger(__name__)

REDIS_IS_AWAY: Final = "This cannot be counted now, for Redis cannot be reached. Try again in a minute."
RESULTS_ARE_AWAY: Final = (
    "Results lie on an object store that does not answer now. Try again in a minute; if it stays so, tell whoever runs "
    "this installation."
)
DATABASE_IS_LOCKED: Final = "Others are writing to the database at this moment. Nothing was changed; try again."
MOST_FAULTS: Final = 200
"""Faults of shape that are told of one body."""
MOST_READ: Final = 10_000
"""Faults of shape beyond which none is looked at: each costs more memory than what was sent."""


class MendTarget(Strict):
    """A stored object on whose page something is mended."""

    kind: Literal["stream", "query", "binding"]
    id: str
    name: str


class MendableFault(Fault):
    """A fault of what is stored: `mend` are the objects that can be changed against it, the likeliest first."""

    mend: list[MendTarget]


class ErrorEnvelope(Strict):
    """Every error of the API: a stable code, a sentence that ends with what to do, and all faults (often none)."""

    code: str
    message: str
    faults: list[SerializeAsAny[MendableFault | Fault]]


class ApiError(Exception):
    """A request is refused with `status` and `code`; `message` is for the user."""

    status = 400
    code = "bad_request"
    retry_after_s: int | None = None
    """When to try again, where that is known better than by the status."""

    def __init__(self, message: str, *, faults: Sequence[Fault] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.faults = list(faults or ())


class NotFound(ApiError):
    """Absent, or not yours."""

    status = 404
    code = "not_found"

    def __init__(self) -> None:
        super().__init__("There is nothing here, or it is not yours. Check the address and the organisation.")


class Forbidden(ApiError):
    """The role does not allow it."""

    status = 403
    code = "forbidden"


class Conflict(ApiError):
    """The present state does not allow it."""

    status = 409
    code = "conflict"


class Faulty(ApiError):
    """What was sent has faults."""

    status = 422
    code = "faulty"

    def __init__(self, faults: Sequence[Fault], message: str | None = None) -> None:
        count = len(faults)
        text = message or f"{counted(count, 'fault')} found. Mend what is listed and send it again."
        super().__init__(text, faults=faults)


class TooLarge(ApiError):
    """The body is larger than this address takes."""

    status = 413
    code = "too_large"

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"The body is larger than {most_bytes // 1024} KiB. Send less at once.")


class Busy(ApiError):
    """As much of this as may run at once is running."""

    status = 429
    code = "too_many_requests"


class TooMuchWork(ApiError):
    """What was sent needs more time, memory or output than a limited process has."""

    status = 422
    code = "too_much_work"


class ClientGone(ApiError):
    """Nobody waits for the answer any more."""

    status = 499
    code = "client_gone"

    def __init__(self) -> None:
        super().__init__("The client went away before this was done. Ask again.")


class Unavailable(ApiError):
    """Redis is away: what must be counted before it is done, is not done."""

    status = 503
    code = "unavailable"

    def __init__(self) -> None:
        super().__init__(REDIS_IS_AWAY)


class Locked(Unavailable):
    """Others write to the database for longer than a request waits."""

    def __init__(self) -> None:
        ApiError.__init__(self, DATABASE_IS_LOCKED)


class ResultsAway(Unavailable):
    """The object store on which results lie does not answer, or refuses."""

    def __init__(self) -> None:
        ApiError.__init__(self, RESULTS_ARE_AWAY)


class UnreadableBody(ApiError):
    """The body cannot be read as JSON."""

    def __init__(self) -> None:
        super().__init__("The JSON is nested too deeply to be read. Send JSON of the documented shape.")


def mendable(found: Fault, targets: Sequence[MendTarget]) -> MendableFault:
    """Return the fault with where it is mended."""
    return MendableFault.model_validate({**dict(found), "mend": list(targets)})


def fault(code: FaultCode, message: str, remedy: str, *, node: str | None = None, field: str | None = None) -> Fault:
    """Return an error fault."""
    return Fault(code=code, severity=Severity.ERROR, node=node, field=field, message=message, remedy=remedy)


def faults_of(error: ValidationError, raw: object) -> list[Fault]:
    """Return one `bad_shape` fault for each thing that pydantic refused in `raw`, which was sent; the first 200.

    The words are those of `shape_errors`; `field` is the path to the value, as a form knows it. One fault alone tells
    of a body that is wrong in thousands of places.
    """
    if (count := error.error_count()) > MOST_READ:
        message = f"{counted(count, 'value')} are of a wrong shape."
        return [fault(FaultCode.BAD_SHAPE, message, "Look at the shape that the API documents.")]
    return [
        fault(FaultCode.BAD_SHAPE, f"{each.message}.", each.remedy, field=each.path or None)
        for each in shape_errors(error, raw, most=MOST_FAULTS)
    ]


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an address that is none: below `/api/` with the envelope, as for everything that is absent."""
    if not request.path.startswith("/api/"):
        return defaults.page_not_found(request, exception)
    return absent()


def absent() -> HttpResponse:
    """Return the envelope of what is absent or not yours, for views outside of the REST framework."""
    return _plain(404, NotFound.code, FRAMEWORK_MESSAGES[404][1])


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer what Django itself refuses: below `/api/` with the envelope."""
    if not request.path.startswith("/api/"):
        return defaults.bad_request(request, exception)
    return _plain(400, *FRAMEWORK_MESSAGES[400])


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer a fault of the program, which was logged: below `/api/` with the envelope."""
    if is_locked(sys.exc_info()[1]):
        locked = _plain(503, Locked.code, DATABASE_IS_LOCKED)
        locked.headers["Retry-After"] = str(BUSY_S)
        return locked
    if not request.path.startswith("/api/"):
        return defaults.server_error(request)
    wrong = "Something went wrong in the server, and was written to its log. Try again later"
    number = request_id()
    told = f"; if it goes wrong again, ask whoever runs this installation, and tell them the number {number}"
    return _plain(500, "internal", f"{wrong}{told if number else ''}.")


def _plain(status: int, code: str, message: str) -> HttpResponse:
    body = ErrorEnvelope(code=code, message=message, faults=[])
    return HttpResponse(body.model_dump_json(), status=status, content_type="application/json")


def _envelope(status: int, code: str, message: str, faults: list[Fault], headers: dict[str, str]) -> Response:
    body = ErrorEnvelope(code=code, message=message, faults=faults)
    return Response(body.model_dump(mode="json"), status=status, headers=headers, content_type="application/json")


RETRY_S: Final = 60
BUSY_S: Final = 5
HEADERS: Final = {
    401: {"WWW-Authenticate": "Bearer"},
    429: {"Retry-After": str(BUSY_S)},
    503: {"Retry-After": str(RETRY_S)},
}
"""Headers of refusals by their status."""
REDIS_AWAY: Final = (redis.exceptions.ConnectionError, redis.exceptions.TimeoutError)
FRAMEWORK_MESSAGES = {
    400: ("bad_request", "The request cannot be read. Send JSON of the documented shape."),
    401: ("not_signed_in", "You are not signed in. Sign in and try again."),
    403: ("forbidden", "This is refused. Reload the page and try again."),
    404: ("not_found", "There is nothing here, or it is not yours. Check the address and the organisation."),
    405: ("method_not_allowed", "This address does not take that method. See the API's documentation."),
    406: ("not_acceptable", "This address does not answer in that format. Ask for application/json."),
    415: ("unsupported_media_type", "Send the body as application/json."),
    429: ("too_many_requests", "Too many requests. Wait a little and try again."),
}


def as_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the envelope for `error`; None for what is no refusal, which Django logs and answers with 500."""
    from rest_framework.views import exception_handler, set_rollback  # loads our authentication, which loads this

    if isinstance(error, REDIS_AWAY):
        logger.error("Redis cannot be reached: %s", error)
        error = Unavailable()
    if isinstance(error, StoreUnreachable):
        logger.error("The store of results: %s", error)
        error = ResultsAway()
    if is_locked(error):
        logger.warning("The database is locked: %s", error)
        error = Locked()
    if isinstance(error, ApiError):
        set_rollback()
        headers = dict(HEADERS.get(error.status, {}))
        if error.retry_after_s is not None:
            headers["Retry-After"] = str(error.retry_after_s)
        return _envelope(error.status, error.code, error.message, error.faults, headers)
    if not isinstance(error, exceptions.APIException | Http404 | PermissionDenied):
        return None
    response = exception_handler(error, context)
    if response is None:
        return None
    code, message = FRAMEWORK_MESSAGES.get(response.status_code, ("error", "This is refused. Try again."))
    headers = {name: value for name, value in response.items() if name in {"WWW-Authenticate", "Retry-After", "Allow"}}
    return _envelope(response.status_code, code, message, [], headers)
