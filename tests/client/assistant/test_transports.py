"""`punctual mcp` as a process over stdio, and over HTTP on this machine for those with the token."""

import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import httpx
import pytest
from mcp.client.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters

from tests.client.assistant.scripted import ScriptedAssistant
from tests.client.conftest import Punctual
from tests.conftest import ROOT
from tests.webapp.confirmations.programs import confirmed
from tests.webapp.conftest import Person
from webapp.client.assistant.protocol import Application, http_application


def test_a_process_proves_a_query_and_carries_out_a_confirmed_plan(
    proposing: dict[str, str], alice: Person, binding: dict[str, Any]
) -> None:
    environment = {**proposing, "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    process = StdioServerParameters(command=sys.executable, args=["-m", "webapp.client", "mcp"], env=environment)

    async def tool(client: McpClient, name: str, **arguments: Any) -> Any:
        found = await client.call_tool(name, arguments)
        assert not found.is_error, found.content
        return json.loads(found.content[0].text)  # type: ignore[union-attr]

    async def script() -> list[str]:
        async with McpClient(process) as client:
            sample = {"generated": {"stream": "cars", "rows": 20, "seed": 1}}
            simulated = await tool(client, "simulate", query="speeding", sample=sample)
            assert sum(simulated["outcomes"]["cars"].values()) == 20
            asked = await tool(client, "request_confirmation", kind="start", binding="watch")
            await anyio.to_thread.run_sync(confirmed, alice, asked["confirmation"])
            done = await tool(client, "carry_out", confirmation=asked["confirmation"])
            return [asked["status"], done["status"]]

    assert anyio.run(script) == ["pending", "carried_out"]
    assert [each["desired"] for each in alice.get("runs/").json()] == ["running"]


def test_a_process_with_a_token_that_changes_things_ends_with_the_reason(punctual: Punctual) -> None:
    ended = punctual("mcp")
    assert (ended.code, ended.out) == (3, "")
    assert "create a token with only the scopes view and propose" in ended.err


@pytest.mark.parametrize("port", ["0", "70000", "x"])
def test_a_port_is_a_number_of_a_port(punctual: Punctual, port: str) -> None:
    assert punctual("mcp", "--http", port).code == 2


@asynccontextmanager
async def started(application: Application) -> AsyncIterator[None]:
    """Start and stop the application as a server does."""
    to_it, of_server = anyio.create_memory_object_stream[Any](2)
    of_it, from_it = anyio.create_memory_object_stream[Any](2)
    async with to_it, of_server, of_it, from_it, anyio.create_task_group() as tasks:
        tasks.start_soon(application, {"type": "lifespan", "asgi": {"version": "3.0"}}, of_server.receive, of_it.send)
        await to_it.send({"type": "lifespan.startup"})
        assert (await from_it.receive())["type"] == "lifespan.startup.complete"
        yield
        await to_it.send({"type": "lifespan.shutdown"})
        assert (await from_it.receive())["type"] == "lifespan.shutdown.complete"


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, 200),
        ({"Authorization": "Bearer pct_0_0"}, 401),
        ({"Authorization": ""}, 401),
        ({"Origin": "https://evil.example"}, 403),
        ({"Host": "evil.example"}, 421),
    ],
)
def test_http_requires_the_token_and_refuses_other_sites(
    assistant: ScriptedAssistant, changed: dict[str, str], status: int
) -> None:
    token = assistant.session.client.server.account.token
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json, text/event-stream",
        "Host": "127.0.0.1:8765",
        **changed,
    }

    async def script() -> int:
        application = http_application(assistant.session, token)
        async with started(application):
            transport = httpx.ASGITransport(application)
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8765") as http:
                return (await http.post("/mcp", json=INITIALIZE, headers=headers)).status_code

    assert anyio.run(script) == status
