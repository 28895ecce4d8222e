"""Options of every kind of input and output with secrets, with one planted in each secret: by the registry. A new kind
is included as soon as it is registered; if its options need a name that is not in `PLAIN`, `planted` reports it.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import ValidationError

from streaming.adapters.kinds import InputKind, OutputKind
from streaming.adapters.registry import kinds, output_kinds
from tests.https import authority

MARK: Final = "planted-every-kind"
PLAIN: Final[Mapping[str, Any]] = {
    "host": "127.0.0.1",
    "port": 1,
    "database": "d",
    "user": "u",
    "table": "t",
    "cursor": "id",
    "url": "https://127.0.0.1:1/rows.jsonl",
    "brokers": "127.0.0.1:1",
    "topic": "t",
    "sign_in": "scram_sha_256",
    "format": "avro",
    "schema_from": "registry",
    "registry": "https://127.0.0.1:1",
    "registry_user": "u",
    "bucket": "some-bucket",
    "access_key": "u",
    "endpoint": "https://127.0.0.1:1",
    "prefix": "results",
}
"""Values of options that are not secret, by their name; nothing answers at these addresses."""


@dataclass(frozen=True)
class PlantedKind:
    """A kind whose options contain a secret in every possible place; `secrets` are these."""

    kind: InputKind | OutputKind
    options: Mapping[str, Any]
    secrets: Mapping[str, str]

    @property
    def name(self) -> str:
        return f"{'in' if isinstance(self.kind, InputKind) else 'out'}_{self.kind.kind}"


def _signing(place: str) -> str:
    """A signing key in the form for webhooks: the mark as its bytes."""
    return "whsec_" + base64.b64encode(f"{MARK}-{place}".encode()).decode()


def planted_kinds(folder: Path) -> list[PlantedKind]:
    """Every kind with secrets; a certificate that some need in addition to a key is created in `folder`."""
    certificate = authority(folder).chain.read_text(encoding="ascii").partition("-----BEGIN PRIVATE KEY-----")[0]
    return [planted(kind, certificate) for kind in (*kinds(), *output_kinds()) if kind.secrets]


def planted(kind: InputKind | OutputKind, certificate: str) -> PlantedKind:
    """Valid options of `kind`, with every secret planted. Raises AssertionError if they can't be built."""
    known = {name: PLAIN[name] for name in kind.options.model_fields if name in PLAIN}
    if "client_certificate" in kind.options.model_fields:
        known["client_certificate"] = certificate
    side = "in" if isinstance(kind, InputKind) else "out"
    where = {name: f"{side}-{kind.kind}-{name}" for name in sorted(kind.secrets)}
    secrets = {name: f"{MARK}-{place}" for name, place in where.items()}
    for name in _faults(kind, {**known, **secrets}):
        if name in secrets:
            secrets[name] = _signing(where[name])
        else:
            known.pop(name, None)  # it has another meaning there
    wrong = _faults(kind, {**known, **secrets})
    assert not wrong, f"add the required options to PLAIN for {side} {kind.kind} need: {sorted(wrong)}"
    return PlantedKind(kind, {**known, **secrets}, secrets)


def _faults(kind: InputKind | OutputKind, options: Mapping[str, Any]) -> set[str]:
    """The names of invalid options; conflicts are described in words."""
    try:
        kind.options.model_validate(options)
    except ValidationError as error:
        return {str(each["loc"][0]) if each["loc"] else each["msg"] for each in error.errors()}
    return set()
