"""A schema registry with Confluent's API: schemas by id and by subject, and its errors as sentences."""

import base64
import json
import ssl
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote

import httpcore

from streaming.adapters.contract import AdapterError
from streaming.adapters.kafka.schema_options import KafkaSchemaOptions
from streaming.adapters.network.dialing import checked_addresses
from streaming.adapters.network.fetching import Reach, unreachable
from streaming.adapters.network.posting import OutgoingRequest, PostAnswer, send_request
from streaming.adapters.network.urls import Url, read_url

ANSWERS_S: Final = 20.0
"""The longest time for one answer; the caller retries later."""
MOST_BYTES: Final = 4 << 20
MOST_REFERENCES: Final = 100
_MEDIA: Final = "application/vnd.schemaregistry.v1+json"
_KINDS: Final[Mapping[str, str]] = {"AVRO": "avro", "PROTOBUF": "protobuf", "JSON": "json"}
_NO_VERSION: Final = frozenset({40401, 40402, 40403})


class NotRegistered(AdapterError):
    """The registry has no such schema, subject or version."""


@dataclass(frozen=True)
class RegisteredSchema:
    """A schema in the registry: `kind` is avro, protobuf, json or empty, with all the schemas that it refers to.

    `references` are pairs of name and text, in an order in which they can be parsed. `id` is None if the answer had
    none.
    """

    kind: str
    text: str
    references: tuple[tuple[str, str], ...] = ()
    id: int | None = None


class SchemaRegistry:
    """Sends requests to the registry of `options` within `reach`.

    Every method raises `AdapterError` with what to do.
    """

    def __init__(self, options: KafkaSchemaOptions, reach: Reach) -> None:
        self._options = options
        self._base = read_url(options.registry or "")
        self._reach = _trusting(options, reach)

    def by_id(self, number: int) -> RegisteredSchema:
        """Return the schema with that id. Raises `NotRegistered`."""
        return self._schema(self._request(f"/schemas/ids/{number}", f"the schema {number}"))

    def latest(self, subject: str) -> RegisteredSchema:
        """Return the newest version under `subject`. Raises `NotRegistered`."""
        return self._version(subject, "latest")

    def register(self, subject: str, kind: str, text: str) -> int:
        """Register `text` under `subject`, as a new version unless it exists; return its id.

        Raises `AdapterError` if the registry refuses it, for example as incompatible with earlier versions.
        """
        path = f"/subjects/{quote(subject, safe='')}/versions"
        answer = self._answer(path, {"schemaType": kind.upper(), "schema": text})
        if answer.status == 409:
            raise _incompatible(subject, _message_of(answer))
        found = self._understood(answer, f"the subject '{subject}'")
        number = found.get("id") if isinstance(found, Mapping) else None
        if not _is_id(number):
            raise self._unclear()
        return int(number)  # type: ignore[arg-type]

    def require_compatible(self, subject: str, kind: str, text: str) -> None:
        """Check that `text` could be registered, leaving nothing behind. Raises `AdapterError`."""
        path = f"/compatibility/subjects/{quote(subject, safe='')}/versions/latest"
        answer = self._answer(path, {"schemaType": kind.upper(), "schema": text})
        try:
            found = self._understood(answer, f"the subject '{subject}'")
        except NotRegistered:
            return  # a first version is compatible with anything
        if isinstance(found, Mapping) and found.get("is_compatible") is False:
            raise _incompatible(subject, "result of its compatibility check")

    def _version(self, subject: str, version: "str | int") -> RegisteredSchema:
        return self._schema(
            self._request(f"/subjects/{quote(subject, safe='')}/versions/{version}", f"the subject '{subject}'")
        )

    def _schema(self, found: Any) -> RegisteredSchema:
        if not isinstance(found, Mapping) or not isinstance(found.get("schema"), str):
            raise self._unclear()
        references: dict[str, str] = {}
        self._follow(found, references)
        kind = _KINDS.get(str(found.get("schemaType") or "AVRO"), "")
        number = found.get("id")
        known = int(number) if _is_id(number) else None  # type: ignore[arg-type]
        return RegisteredSchema(kind, found["schema"], tuple(references.items()), known)

    def _follow(self, found: Mapping[str, Any], known: dict[str, str], depth: int = 0) -> None:
        """Add the schemas that `found` refers to, inner ones first."""
        listed = found.get("references") or ()
        for each in listed if isinstance(listed, list) else ():
            if not isinstance(each, Mapping) or not isinstance(each.get("name"), str):
                raise self._unclear()
            if each["name"] in known:
                continue
            if depth > 20 or len(known) >= MOST_REFERENCES:
                raise AdapterError(
                    f"The schema refers to more than {MOST_REFERENCES} other schemas. Use a smaller one."
                )
            subject, version = str(each.get("subject")), quote(str(each.get("version")), safe="")
            path = f"/subjects/{quote(subject, safe='')}/versions/{version}"
            inner = self._request(path, f"the referenced subject '{subject}'")
            if not isinstance(inner, Mapping) or not isinstance(inner.get("schema"), str):
                raise self._unclear()
            self._follow(inner, known, depth + 1)
            known[each["name"]] = inner["schema"]

    def _request(self, path: str, what: str) -> Any:
        return self._understood(self._answer(path), what)

    def _answer(self, path: str, body: Any = None) -> PostAnswer:
        url = replace(self._base, target=self._base.target.rstrip("/") + path)
        headers = {"Accept": f"{_MEDIA}, application/json"}
        if self._options.registry_user is not None and self._options.registry_password is not None:
            who = f"{self._options.registry_user}:{self._options.registry_password.get_secret_value()}"
            headers["Authorization"] = f"Basic {base64.b64encode(who.encode()).decode()}"
        request = OutgoingRequest(headers, method="GET", most_read=MOST_BYTES + 1)
        if body is not None:
            sent = json.dumps(body).encode()
            request = replace(request, headers={**headers, "Content-Type": _MEDIA}, body=sent, method="POST")
        try:
            return send_request(url, self._reach, request, most_s=ANSWERS_S)
        except AdapterError as error:
            raise self._refined(error, url) from None

    def _refined(self, error: AdapterError, url: Url) -> AdapterError:
        """Return `error`, made more specific if nothing answered at an allowed address."""
        if str(error) != unreachable(url):
            return error
        with suppress(httpcore.ConnectError):
            plain = url.scheme == "http"
            checked_addresses(url.host, url.port, self._reach.policy, plain=plain, resolve=self._reach.resolve)
            return AdapterError(
                f"Nothing answers at the registry {url.origin} (port {url.port}). Check that it is "
                "running and that the "
                "address is right.",
                domain="external",
            )
        return AdapterError(f"The schema registry: {error}", domain="external")

    def _understood(self, answer: PostAnswer, what: str) -> Any:
        shown = self._base.display_url
        if answer.status in {401, 403}:
            who = f"user '{self._options.registry_user}'" if self._options.registry_user else "requests without sign-in"
            raise AdapterError(
                f"The registry {shown} answers {answer.status}: it refuses {who}, or their access to {what}. Correct "
                "the registry's user and password, or ask its administrator for access."
            )
        if answer.status == 404:
            if _code(answer) not in _NO_VERSION:
                raise AdapterError(f"{shown} answers 404, unlike a schema registry. Correct its address.")
            raise NotRegistered(
                f"The registry {shown} does not have {what}. Register it, or correct the topic and the registry."
            )
        if answer.status >= 500 or answer.status in {408, 425, 429}:
            raise AdapterError(f"The registry {shown} answers {answer.status}. Try again later.", domain="external")
        if answer.status == 422:
            raise AdapterError(f"The registry {shown} refuses {what}: {_message_of(answer)}. Correct the schema.")
        if answer.status != 200:
            raise AdapterError(f"The registry {shown} answers {answer.status}. Correct its address.")
        if len(answer.text) > MOST_BYTES:
            raise AdapterError(
                f"The registry {shown} sent a schema of more than {MOST_BYTES >> 20} MiB. Use a smaller one."
            )
        try:
            return json.loads(answer.text)
        except (ValueError, RecursionError):
            raise self._unclear() from None

    def _unclear(self) -> AdapterError:
        return AdapterError(
            f"{self._base.display_url} does not answer like a schema registry. Correct the address: "
            "it must be the base of "
            "Confluent's API, for example https://registry.example:8081."
        )


def _incompatible(subject: str, why: str) -> AdapterError:
    return AdapterError(
        f"The registry refuses the schema of the results: it is incompatible with the schema registered as '{subject}' "
        f"({why}). Give the results the fields of the registered schema, send the output to another topic, or change "
        "the subject's compatibility setting."
    )


def _is_id(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool) and 0 <= number < 2**31


def _error(answer: PostAnswer) -> Mapping[str, Any]:
    try:
        found = json.loads(answer.text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, Mapping) else {}


def _code(answer: PostAnswer) -> object:
    return _error(answer).get("error_code")


def _message_of(answer: PostAnswer) -> str:
    text = " ".join(str(_error(answer).get("message") or f"it answers {answer.status}").split()).rstrip(".")
    return text if len(text) <= 300 else text[:297] + "..."


def _trusting(options: KafkaSchemaOptions, reach: Reach) -> Reach:
    """`reach`, whose TLS trusts the certificate authority in the options, if set."""
    pem = options.registry_certificate_authority
    if pem is None:
        return reach

    def trust() -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cadata=pem)
        except (ssl.SSLError, ValueError):
            raise AdapterError("The registry's certificate authority is invalid. Enter it again, as PEM.") from None

    return replace(reach, trust=trust)
