"""Refusals, each as one exception, and the one envelope in which the API sends them.

ApiError      a request is refused; its subclasses define the status and the code
  NotFound    absent, or not yours: deliberately the same
  Forbidden   your role does not allow it
  Conflict    the present state does not allow it
  Faulty      the request has errors; all of them are listed
  TooLarge    the body is larger than this address accepts
  Busy        too much of this is running
  TooMuchWork the request needs more time, memory or output than allowed
  ClientGone  nobody waits for the answer any more
  Unavailable Redis is unreachable, and required for this
  Locked      others write to the database for too long
  StorageFull only the reserve of the disk is free
  Unreadable  the body is nested too deeply for JSON
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
from streaming.storage.blobs import StoreUnreachable
from webapp.core.context import request_id
from webapp.core.database.locked import is_locked
from webapp.core.disk import NO_ROOM, is_disk_full

logger = logging.getLogger(__name__)

REDIS_IS_AWAY: Final = "Redis cannot be reached, and this request must be counted there. Try again in a minute."
RESULTS_ARE_AWAY: Final = (
    "The object store with the results does not answer now. Try again in a minute. If it keeps failing, contact "
    "your administrator."
)
DATABASE_IS_LOCKED: Final = "Others are writing to the database at this moment. Nothing was changed; try again."
MOST_FAULTS: Final = 200
"""Errors of shape that are reported for one body."""
MOST_READ: Final = 10_000
"""Errors of shape above which none is described: each needs more memory than its part of the body."""


class MendTarget(Strict):
    """A stored object on whose page an error can be fixed."""

    kind: Literal["stream", "query", "binding"]
    id: str
    name: str


class MendableFault(Fault):
    """An error of stored objects: `mend` are the objects that can be changed to fix it, the likeliest first."""

    mend: list[MendTarget]


class ErrorEnvelope(Strict):
    """Every error of the API: a stable code, a sentence that ends with what to do, and all errors (often none)."""

    code: str
    message: str
    faults: list[SerializeAsAny[MendableFault | Fault]]


class ApiError(Exception):
    """A request is refused with `status` and `code`; `message` is for the user."""

    status = 400
    code = "bad_request"
    retry_after_s: int | None = None
    """When to try again, if known more precisely than by the status."""

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
    """The request has errors."""

    status = 422
    code = "faulty"

    def __init__(self, faults: Sequence[Fault], message: str | None = None) -> None:
        count = len(faults)
        text = message or f"{counted(count, 'error')} found. Fix the listed errors and send the request again."
        super().__init__(text, faults=faults)


class TooLarge(ApiError):
    """The body is larger than this address accepts."""

    status = 413
    code = "too_large"

    def __init__(self, most_bytes: int) -> None:
        super().__init__(f"The body is larger than {most_bytes // 1024} KiB. Send less at once.")


class Busy(ApiError):
    """Too much of this is running."""

    status = 429
    code = "too_many_requests"


class TooMuchWork(ApiError):
    """The request needs more time, memory or output than a limited process has."""

    status = 422
    code = "too_much_work"


class ClientGone(ApiError):
    """Nobody waits for the answer any more."""

    status = 499
    code = "client_gone"

    def __init__(self) -> None:
        super().__init__("The client disconnected before this was done. Send the request again.")


class Unavailable(ApiError):
    """Redis is unreachable, so requests that must be counted first are refused."""

    status = 503
    code = "unavailable"

    def __init__(self) -> None:
        super().__init__(REDIS_IS_AWAY)


class Locked(Unavailable):
    """Others write to the database for longer than a request waits."""

    def __init__(self) -> None:
        ApiError.__init__(self, DATABASE_IS_LOCKED)


class Overloaded(Unavailable):
    """A limited process did not start or answer in time, and reached none of its limits."""

    def __init__(self, title: str) -> None:
        ApiError.__init__(self, f"{title} did not finish, because this server is overloaded. Try again in a minute.")


class ResultsAway(Unavailable):
    """The object store with the results does not answer, or refuses."""

    def __init__(self) -> None:
        ApiError.__init__(self, RESULTS_ARE_AWAY)


class StorageFull(ApiError):
    """The disk has only the reserve of the platform left."""

    status = 507
    code = "storage_full"

    def __init__(self) -> None:
        super().__init__(NO_ROOM)


class UnreadableBody(ApiError):
    """The body cannot be read as JSON."""

    def __init__(self) -> None:
        super().__init__("The JSON is nested too deeply to be read. Send JSON of the documented shape.")


def mendable(found: Fault, targets: Sequence[MendTarget]) -> MendableFault:
    """Return the error with the objects where it can be fixed."""
    return MendableFault.model_validate({**dict(found), "mend": list(targets)})


def fault(code: FaultCode, message: str, remedy: str, *, node: str | None = None, field: str | None = None) -> Fault:
    """Return a fault with severity error."""
    return Fault(code=code, severity=Severity.ERROR, node=node, field=field, message=message, remedy=remedy)


def faults_of(error: ValidationError, raw: object) -> list[Fault]:
    """Return one `bad_shape` error for each value in `raw` that pydantic refused; the first 200.

    The words are those of `shape_errors`; `field` is the path to the value, as forms know it. A body with thousands of
    errors gets a single one.
    """
    if (count := error.error_count()) > MOST_READ:
        message = f"{counted(count, 'value')} have a wrong shape."
        return [fault(FaultCode.BAD_SHAPE, message, "Check the shape in the documentation of the API.")]
    return [
        fault(FaultCode.BAD_SHAPE, f"{each.message}.", each.remedy, field=each.path or None)
        for each in shape_errors(error, raw, most=MOST_FAULTS)
    ]


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer an unknown address: below `/api/` with the envelope, as for everything that is absent."""
    if not request.path.startswith("/api/"):
        return defaults.page_not_found(request, exception)
    return absent()


def absent() -> HttpResponse:
    """Return the envelope for an absent object or one that is not yours, for views outside of the REST framework."""
    return _plain(404, NotFound.code, FRAMEWORK_MESSAGES[404][1])


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer a refusal of Django itself: below `/api/` with the envelope."""
    if not request.path.startswith("/api/"):
        return defaults.bad_request(request, exception)
    return _plain(400, *FRAMEWORK_MESSAGES[400])


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer an error of the program, which was logged: below `/api/` with the envelope."""
    if is_locked(sys.exc_info()[1]):
        locked = _plain(503, Locked.code, DATABASE_IS_LOCKED)
        locked.headers["Retry-After"] = str(BUSY_S)
        return locked
    if is_disk_full(sys.exc_info()[1]):
        return _plain(507, StorageFull.code, NO_ROOM)
    if not request.path.startswith("/api/"):
        return defaults.server_error(request)
    wrong = "The server failed; its log has the details. Try again later"
    number = request_id()
    contact = f". If it keeps failing, contact your administrator and mention the number {number}"
    return _plain(500, "internal", f"{wrong}{contact if number else ''}.")


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
    405: ("method_not_allowed", "This address does not support that method. See the API's documentation."),
    406: ("not_acceptable", "This address does not answer in that format. Ask for application/json."),
    415: ("unsupported_media_type", "Send the body as application/json."),
    429: ("too_many_requests", "Too many requests. Wait a little and try again."),
}


def as_response(error: Exception, context: dict[str, Any]) -> Response | None:
    """Return the envelope for `error`; None for other exceptions, which Django logs and answers with 500."""
    from rest_framework.views import exception_handler, set_rollback  # it loads our authentication, which imports this

    if isinstance(error, REDIS_AWAY):
        logger.error("Redis cannot be reached: %s", error)
        error = Unavailable()
    if isinstance(error, StoreUnreachable):
        logger.error("The store of results: %s", error)
        error = ResultsAway()
    if is_locked(error):
        logger.warning("The database is locked: %s", error)
        error = Locked()
    if is_disk_full(error):
        logger.error("The disk is full: %s", error)
        error = StorageFull()
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
