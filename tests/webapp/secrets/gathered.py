"""All texts that people were shown, gathered to be searched for secrets."""

from typing import Any

from tests.webapp.conftest import Person


class Gathered:
    """Everything that anybody was shown, by where."""

    def __init__(self, person: Person) -> None:
        self.person = person
        self.texts: dict[str, str] = {}

    def add(self, where: str, content: str | bytes) -> None:
        text = content.decode(errors="replace") if isinstance(content, bytes) else content
        self.texts[f"{len(self.texts)} {where}"] = text

    def get(self, path: str) -> Any:
        answered = self.person.get(path)
        self.add(f"headers of {path}", str(answered.headers))
        self.add(f"GET {path}", answered.content)
        return answered.json()

    def send(self, method: str, path: str, content: Any, status: int) -> Any:
        answered = getattr(self.person, method)(path, content)
        assert answered.status_code == status, answered.content
        self.add(f"{method} {path}", answered.content)
        return answered.json()

    def holding(self, *needles: str) -> list[str]:
        return [where for where, text in self.texts.items() if any(needle in text for needle in needles)]
