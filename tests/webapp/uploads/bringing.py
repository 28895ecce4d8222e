"""Bringing files through the API, as a tus client does."""

import base64
from typing import Any
from uuid import uuid4

from tests.webapp.conftest import Person

CSV = b"seen_at,plate\n2026-01-01T00:00:00Z,ZH 1\n2026-01-01T00:00:05Z,ZH 2\n2026-01-01T00:00:01Z,ZH 3\n"


def begun(person: Person, name: str, size: int) -> Any:
    """The answer to beginning an upload."""
    metadata = f"filename {base64.b64encode(name.encode()).decode()}"
    headers = {"Upload-Length": str(size), "Upload-Metadata": metadata, "Tus-Resumable": "1.0.0"}
    return person.client.post(person.url("files/uploads/"), headers=headers)


def sent(person: Person, upload: str, offset: int, content: bytes) -> Any:
    """Return the answer to sending bytes after the first `offset` ones."""
    return person.client.patch(
        person.url(f"files/uploads/{upload}/"),
        content,
        content_type="application/offset+octet-stream",
        headers={"Upload-Offset": str(offset), "Tus-Resumable": "1.0.0"},
    )


def uploaded(person: Person, name: str, content: bytes) -> str:
    """The id of an upload all of whose bytes have arrived."""
    answered = begun(person, name, len(content))
    assert answered.status_code == 201, answered.content
    upload = str(answered.json()["id"])
    assert sent(person, upload, 0, content).status_code == 204
    return upload


def finished(person: Person, upload: str, *, replace: bool = False) -> Any:
    """The answer to finishing."""
    return person.post(f"files/uploads/{upload}/finish/", {"replace": replace})


def brought(person: Person, name: str = "", content: bytes = CSV) -> str:
    """The path of a file that was brought."""
    answered = finished(person, uploaded(person, name or f"f{uuid4().hex[:8]}.csv", content))
    assert answered.status_code == 201, answered.content
    return str(answered.json()["path"])
