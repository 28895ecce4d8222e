"""Options of every kind of input and output that has secrets, with one planted in each of these: by the registry.

A kind that is added is among them as soon as it is registered; where its options need a name that is not in `PLAIN`,
`planted` says so.
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
"""Values of options that are no secrets, by their name; nobody answers at these addresses."""


@dataclass(frozen=True)
class PlantedKind:
    """A kind with options that hold a secret in every place for one; `secrets` are these."""

    kind: InputKind | OutputKind
    options: Mapping[str, Any]
    secrets: Mapping[str, str]

    @property
    def name(self) -> str:
        return f"{'in' if isinstance(self.kind, InputKind) else 'out'}_{self.kind.kind}"


def _signing(place: str) -> str:
    """A key that signs, as webhooks want it: the mark as its bytes."""
    return "whsec_" + base64.b64encode(f"{MARK}-{place}".encode()).decode()


def planted_kinds(folder: Path) -> list[PlantedKind]:
    """Every kind that has secrets; a certificate that some ask for beside a key is made in `folder`."""
    certificate = authority(folder).chain.read_text(encoding="ascii").partition("-----BEGIN PRIVATE KEY-----")[0]
    return [planted(kind, certificate) for kind in (*kinds(), *output_kinds()) if kind.secrets]


def planted(kind: InputKind | OutputKind, certificate: str) -> PlantedKind:
    """Options of `kind`, valid, with every secret planted. Raises AssertionError where they cannot be made."""
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
            known.pop(name, None)  # it means something else there
    wrong = _faults(kind, {**known, **secrets})
    assert not wrong, f"say in PLAIN what these options of {side} {kind.kind} need: {sorted(wrong)}"
    return PlantedKind(kind, {**known, **secrets}, secrets)


def _faults(kind: InputKind | OutputKind, options: Mapping[str, Any]) -> set[str]:
    """The names of options that do not fit; what does not fit together is told in words."""
    try:
        kind.options.model_validate(options)
    except ValidationError as error:
        return {str(each["loc"][0]) if each["loc"] else each["msg"] for each in error.errors()}
    return set()
