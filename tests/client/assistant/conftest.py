"""An assistant with a token of alice's that reads and proposes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.client.assistant.scripted import ScriptedAssistant
from tests.webapp.confirmations.programs import program_of
from tests.webapp.conftest import Person
from webapp.client import Client
from webapp.client.assistant.session import AssistantSession


@pytest.fixture
def proposing(live_server: Any, alice: Person) -> dict[str, str]:
    """Return the environment of `punctual mcp`."""
    return {"PUNCTUAL_ADDRESS": live_server.url, "PUNCTUAL_TOKEN": program_of(alice).token}


@pytest.fixture
def assistant(proposing: dict[str, str]) -> Iterator[ScriptedAssistant]:
    with Client.from_env(proposing) as client:
        yield ScriptedAssistant(AssistantSession(client))
