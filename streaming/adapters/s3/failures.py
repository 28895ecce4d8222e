"""Errors of an S3-compatible store as sentences that say what to do.

Only the code of an answer is read: its text may repeat the request, including the signature and the session token.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.fetching import AGAIN_LATER
from streaming.adapters.s3.connection_options import S3ConnectionOptions

_CODE: Final = re.compile(r"<Code>([A-Za-z0-9.]{1,64})</Code>")
_REGION: Final = re.compile(r"[a-z0-9-]{1,63}")
RIGHTS: Final = {
    "LIST": "list the bucket (s3:ListBucket)",
    "GET": "read objects (s3:GetObject)",
    "HEAD": "read objects (s3:GetObject)",
    "PUT": "write objects (s3:PutObject)",
    "DELETE": "delete objects (s3:DeleteObject)",
}
_KEYS: Final = frozenset({"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidSecurity", "NotSignedUp"})
_TOKENS: Final = frozenset({"ExpiredToken", "InvalidToken", "TokenRefreshRequired"})
_REGIONS: Final = frozenset({"PermanentRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException"})
_SLOW: Final = frozenset({"SlowDown", "RequestTimeout", "InternalError", "ServiceUnavailable", "OperationAborted"})
_CONFLICTS: Final = frozenset({"PreconditionFailed", "ConditionalRequestConflict"})


class ObjectGone(AdapterError):
    """The object does not exist."""


class ObjectChanged(AdapterError):
    """The object does not match the condition of the request."""


class ConditionsUnknown(AdapterError):
    """The store does not support requests of this form."""


@dataclass(frozen=True)
class StoreAnswer:
    """The answer of a store; headers have names in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """The code of an error; empty if the answer has none, as for HEAD."""
        found = _CODE.search(self.body.decode("utf-8", "replace"))
        return found[1] if found is not None else ""


def failure(answer: StoreAnswer, what: str, shown: str, options: S3ConnectionOptions) -> AdapterError:
    """Explain why the request `what` (a key of `RIGHTS`) for `shown` failed."""
    found = _about_object(answer, what, shown, options) or _elsewhere(answer, options)
    if found is not None:
        return found
    if answer.status >= 500 or answer.status in AGAIN_LATER or answer.code in _SLOW:
        return AdapterError(f"The store answers {_status_of(answer)}. The request is retried.", domain="external")
    return _signed_in(answer, options) or _refused(answer, what, shown, options)


def _about_object(answer: StoreAnswer, what: str, shown: str, options: S3ConnectionOptions) -> AdapterError | None:
    code, status = answer.code, answer.status
    if code in _CONFLICTS or status == 412:
        return ObjectChanged(f"{shown} was changed by another process.", domain="external")
    if code == "NoSuchBucket":
        return AdapterError(
            f"The store has no bucket '{options.bucket}'. Correct its name, region or endpoint, or create the bucket."
        )
    if code == "NotImplemented" or status == 501:
        return ConditionsUnknown(f"The store does not support the request to {RIGHTS[what]}. Use another store.")
    return ObjectGone(f"There is no object {shown}. Restore it, or correct its key.") if status == 404 else None


def _elsewhere(answer: StoreAnswer, options: S3ConnectionOptions) -> AdapterError | None:
    if answer.status not in {301, 307, 308} and answer.code not in _REGIONS:
        return None
    region = answer.headers.get("x-amz-bucket-region", "")
    where = f"is in the region {region}" if _REGION.fullmatch(region) else "is in another region or at another address"
    return AdapterError(f"The bucket '{options.bucket}' {where}. Correct region and endpoint.")


def _signed_in(answer: StoreAnswer, options: S3ConnectionOptions) -> AdapterError | None:
    code = answer.code
    if code in _KEYS:
        what = "does not know the access key" if code == "InvalidAccessKeyId" else "refuses the secret key"
        return AdapterError(
            f"The store {what} ('{options.access_key}', {code}). Correct the access key and secret key, and check that "
            "the region is that of the bucket."
        )
    if code in _TOKENS:
        return AdapterError(
            f"The temporary keys have expired, or the session token does not belong to them ({code}). Enter new ones, "
            "or permanent keys."
        )
    if code == "RequestTimeTooSkewed":
        return AdapterError(
            "The clock of this installation differs from the store's clock by more than the store allows. Ask your "
            "administrator to set it.",
            domain="external",
        )
    return None


def _refused(answer: StoreAnswer, what: str, shown: str, options: S3ConnectionOptions) -> AdapterError:
    if answer.code == "InvalidObjectState":
        return AdapterError(
            f"{shown} is archived and can't be read immediately. Restore it, or exclude it by the pattern."
        )
    if answer.status in {401, 403}:
        return AdapterError(
            f"The access key '{options.access_key}' may not {RIGHTS[what]} at {shown} ({_status_of(answer)}). Grant it "
            "that right, or use another key."
        )
    return AdapterError(
        f"The store answers {_status_of(answer)} to a request to {RIGHTS[what]} at {shown}. Check that the endpoint is "
        "S3-compatible, and that the bucket and the keys are correct."
    )


def _status_of(answer: StoreAnswer) -> str:
    return f"{answer.status} {answer.code}".strip()
