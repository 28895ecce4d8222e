"""Programs with tokens that propose, and the people who decide about their plans."""

from dataclasses import dataclass
from typing import Any

from django.test import Client

from tests.webapp.conftest import Person


@dataclass(frozen=True)
class Program:
    """A program with a token in an organisation."""

    organisation: str
    token: str

    def send(self, method: str, path: str, body: Any = None) -> Any:
        headers: Any = {"Authorization": f"Bearer {self.token}"}
        call = getattr(Client(raise_request_exception=False), method)
        url = f"/api/t/{self.organisation}/{path}"
        if method == "get":
            return call(url, headers=headers)
        return call(url, {} if body is None else body, content_type="application/json", headers=headers)

    def post(self, path: str, body: Any = None) -> Any:
        return self.send("post", path, body)

    def plan(self, **body: Any) -> str:
        answered = self.post("confirmations/", body)
        assert answered.status_code == 201, answered.content
        return str(answered.json()["id"])

    def carry_out(self, confirmation: str, files: dict[str, str] | None = None) -> Any:
        return self.post(f"confirmations/{confirmation}/carry-out/", {"files": files or {}})


def program_of(person: Person, role: str = "owner", scopes: tuple[str, ...] = ("view", "propose")) -> Program:
    body = {"name": "assistant", "role": role, "expires_in_days": 1, "scopes": list(scopes)}
    made = person.post("tokens/", body)
    assert made.status_code == 201, made.content
    return Program(person.organisation.slug, made.json()["token"])


def decide(person: Person, confirmation: str, *, confirm: bool = True) -> Any:
    return person.post(f"confirmations/{confirmation}/decision/", {"confirm": confirm})


def confirmed(person: Person, confirmation: str) -> str:
    answered = decide(person, confirmation)
    assert answered.status_code == 200, answered.content
    return confirmation
