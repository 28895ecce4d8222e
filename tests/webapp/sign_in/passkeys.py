"""A software authenticator: what a browser and a key do between a request's options and its answer (WebAuthn 2)."""

from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import Aaguid, AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

FLAG = AuthenticatorData.FLAG


class SoftwareKey:
    """A passkey that lives in this process; `origin` is the page that it believes to be on."""

    def __init__(self, origin: str = "http://localhost") -> None:
        self.origin = origin
        self.private = ec.generate_private_key(ec.SECP256R1())
        self.id = sha256(repr(self.private.private_numbers()).encode()).digest()
        self.user = ""
        self.host = ""

    def make(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answer the options of a registration."""
        asked = options["publicKey"]
        self.user, self.host = asked["user"]["id"], asked["rp"]["id"]
        public = ES256.from_cryptography_key(self.private.public_key())
        credential = AttestedCredentialData.create(Aaguid.NONE, self.id, public)
        data = AuthenticatorData.create(self._host(), FLAG.UP | FLAG.UV | FLAG.AT, 0, credential)
        client = self._client("webauthn.create", asked["challenge"])
        attested = AttestationObject.create("none", data, {})
        response = {"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(attested)}
        return {**self._named(response), "clientExtensionResults": {"credProps": {"rk": True}}}

    def sign(self, options: dict[str, Any]) -> dict[str, Any]:
        """Answer the options of an authentication."""
        data = AuthenticatorData.create(self._host(), FLAG.UP | FLAG.UV, 1)
        client = self._client("webauthn.get", options["publicKey"]["challenge"])
        signature = self.private.sign(data + client.hash, ec.ECDSA(SHA256()))
        response = {
            "clientDataJSON": websafe_encode(client),
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(signature),
            "userHandle": self.user,
        }
        return {**self._named(response), "clientExtensionResults": {}}

    def _named(self, response: dict[str, str]) -> dict[str, Any]:
        return {
            "id": websafe_encode(self.id),
            "rawId": websafe_encode(self.id),
            "type": "public-key",
            "response": response,
        }

    def _host(self) -> bytes:
        return sha256(self.host.encode()).digest()

    def _client(self, kind: str, challenge: str) -> CollectedClientData:
        return CollectedClientData.create(kind, challenge, self.origin)
