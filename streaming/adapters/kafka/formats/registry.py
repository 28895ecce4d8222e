"""A schema registry that speaks Confluent's API: schemas by id and by subject, and what fails there as sentences."""

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
from streaming.adapters.network.posting import OutgoingRequest, PostAnswer, answered
from streaming.adapters.network.urls import Url, read_url

ANSWERS_S: Final = 20.0
"""So long one answer may take; whoever waits for it is asked again later."""
MOST_BYTES: Final = 4 << 20
MOST_REFERENCES: Final = 100
_MEDIA: Final = "application/vnd.schemaregistry.v1+json"
_KINDS: Final[Mapping[str, str]] = {"AVRO": "avro", "PROTOBUF": "protobuf", "JSON": "json"}
_NO_VERSION: Final = frozenset({40401, 40402, 40403})


class NotRegistered(AdapterError):
    """The registry answers that there is no such schema, subject or version."""


@dataclass(frozen=True)
class RegisteredSchema:
    """A schema as the registry has it: `kind` in our words (avro, protobuf, json), with all that it refers to.

    `references` are name and text, in the order in which they can be read. `id` is None where the answer had none.
    """

    kind: str
    text: str
    references: tuple[tuple[str, str], ...] = ()
    id: int | None = None


class SchemaRegistry:
    """Asks the registry of `options` within `reach`. Every method raises `AdapterError` with what to do."""

    def __init__(self, options: KafkaSchemaOptions, reach: Reach) -> None:
        self._options = options
        self._base = read_url(options.registry or "")
        self._reach = _trusting(options, reach)

    def by_id(self, number: int) -> RegisteredSchema:
        """The schema with that id. Raises `NotRegistered`."""
        return self._schema(self._asked(f"/schemas/ids/{number}", f"the schema {number}"))

    def latest(self, subject: str) -> RegisteredSchema:
        """The newest version under `subject`. Raises `NotRegistered`."""
        return self._version(subject, "latest")

    def register(self, subject: str, kind: str, text: str) -> int:
        """Have `text` under `subject`, as a new version unless it is there; its id.

        Raises `AdapterError` where the registry refuses it, because it is incompatible with earlier versions, say.
        """
        path = f"/subjects/{quote(subject, safe='')}/versions"
        answer = self._answer(path, {"schemaType": kind.upper(), "schema": text})
        if answer.status == 409:
            raise _incompatible(subject, _told(answer))
        found = self._understood(answer, f"the subject '{subject}'")
        number = found.get("id") if isinstance(found, Mapping) else None
        if not _is_id(number):
            raise self._unclear()
        return int(number)  # type: ignore[arg-type]

    def require_compatible(self, subject: str, kind: str, text: str) -> None:
        """Refuse `text` that could not be registered, leaving nothing behind. Raises `AdapterError`."""
        path = f"/compatibility/subjects/{quote(subject, safe='')}/versions/latest"
        answer = self._answer(path, {"schemaType": kind.upper(), "schema": text})
        try:
            found = self._understood(answer, f"the subject '{subject}'")
        except NotRegistered:
            return  # the first one is compatible with anything
        if isinstance(found, Mapping) and found.get("is_compatible") is False:
            raise _incompatible(subject, "it says so itself")

    def _version(self, subject: str, version: "str | int") -> RegisteredSchema:
        return self._schema(
            self._asked(f"/subjects/{quote(subject, safe='')}/versions/{version}", f"the subject '{subject}'")
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
        """Add what `found` refers to, the inner ones first."""
        listed = found.get("references") or ()
        for each in listed if isinstance(listed, list) else ():
            if not isinstance(each, Mapping) or not isinstance(each.get("name"), str):
                raise self._unclear()
            if each["name"] in known:
                continue
            if depth > 20 or len(known) >= MOST_REFERENCES:
                raise AdapterError(f"The schema refers to more than {MOST_REFERENCES} others. Use a smaller one.")
            subject, version = str(each.get("subject")), quote(str(each.get("version")), safe="")
            path = f"/subjects/{quote(subject, safe='')}/versions/{version}"
            inner = self._asked(path, f"the subject '{subject}', to which a schema refers,")
            if not isinstance(inner, Mapping) or not isinstance(inner.get("schema"), str):
                raise self._unclear()
            self._follow(inner, known, depth + 1)
            known[each["name"]] = inner["schema"]

    def _asked(self, path: str, what: str) -> Any:
        return self._understood(self._answer(path), what)

    def _answer(self, path: str, body: Any = None) -> PostAnswer:
        url = replace(self._base, target=self._base.target.rstrip("/") + path)
        headers = {"Accept": f"{_MEDIA}, application/json"}
        if self._options.registry_user is not None and self._options.registry_password is not None:
            who = f"{self._options.registry_user}:{self._options.registry_password.get_secret_value()}"
            headers["Authorization"] = f"Basic {base64.b64encode(who.encode()).decode()}"
        said = OutgoingRequest(headers, method="GET", most_read=MOST_BYTES + 1)
        if body is not None:
            sent = json.dumps(body).encode()
            said = replace(said, headers={**headers, "Content-Type": _MEDIA}, body=sent, method="POST")
        try:
            return answered(url, self._reach, said, most_s=ANSWERS_S)
        except AdapterError as error:
            raise self._told_apart(error, url) from None

    def _told_apart(self, error: AdapterError, url: Url) -> AdapterError:
        """`error`, more exactly where nothing answered at an address that is known and allowed."""
        if str(error) != unreachable(url):
            return error
        with suppress(httpcore.ConnectError):
            plain = url.scheme == "http"
            checked_addresses(url.host, url.port, self._reach.policy, plain=plain, resolve=self._reach.resolve)
            return AdapterError(
                f"Nothing answers at the registry {url.origin} (port {url.port}). See whether it runs, and whether the "
                "address is right.",
                domain="external",
            )
        return AdapterError(f"The schema registry: {error}", domain="external")

    def _understood(self, answer: PostAnswer, what: str) -> Any:
        shown = self._base.shown
        if answer.status in {401, 403}:
            who = f"user '{self._options.registry_user}'" if self._options.registry_user else "nobody without sign-in"
            raise AdapterError(
                f"The registry {shown} answers {answer.status}: it does not let {who} in, or not to {what}. Correct "
                "user and password of the registry, or ask whoever runs it for access."
            )
        if answer.status == 404:
            if _code(answer) not in _NO_VERSION:
                raise AdapterError(f"{shown} answers 404, not as a schema registry does. Correct its address.")
            raise NotRegistered(
                f"The registry {shown} does not know {what}. Let a producer register it, or correct topic and registry."
            )
        if answer.status >= 500 or answer.status in {408, 425, 429}:
            raise AdapterError(
                f"The registry {shown} answers {answer.status} for now. Try again later.", domain="external"
            )
        if answer.status == 422:
            raise AdapterError(f"The registry {shown} refuses {what}: {_told(answer)}. Correct the schema.")
        if answer.status != 200:
            raise AdapterError(f"The registry {shown} answers {answer.status}. Correct its address.")
        if len(answer.text) > MOST_BYTES:
            raise AdapterError(
                f"The registry {shown} sends a schema of more than {MOST_BYTES >> 20} MiB. Use a smaller one."
            )
        try:
            return json.loads(answer.text)
        except (ValueError, RecursionError):
            raise self._unclear() from None

    def _unclear(self) -> AdapterError:
        return AdapterError(
            f"{self._base.shown} does not answer as a schema registry does. Correct the address: it is that of "
            "Confluent's API, such as https://registry.example:8081."
        )


def _incompatible(subject: str, why: str) -> AdapterError:
    return AdapterError(
        f"The registry refuses the schema of the results: it is incompatible with what is registered as '{subject}' "
        f"({why}). Give the results the fields of the registered schema, let the output go to another topic, or have "
        "the compatibility of the subject changed."
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


def _told(answer: PostAnswer) -> str:
    text = " ".join(str(_error(answer).get("message") or f"it answers {answer.status}").split()).rstrip(".")
    return text if len(text) <= 300 else text[:297] + "..."


def _trusting(options: KafkaSchemaOptions, reach: Reach) -> Reach:
    """`reach`, whose TLS trusts the authority that the options name, where they name one."""
    pem = options.registry_certificate_authority
    if pem is None:
        return reach

    def trust() -> ssl.SSLContext:
        try:
            return ssl.create_default_context(cadata=pem)
        except (ssl.SSLError, ValueError):
            raise AdapterError("The registry's certificate authority cannot be used. Give it again, as PEM.") from None

    return replace(reach, trust=trust)
