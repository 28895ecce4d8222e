"""A scripted client: each call opens a session, in memory or over any transport, and reads the answer."""

import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import anyio
from mcp.client.client import Client as McpClient
from mcp.shared.exceptions import MCPError

from webapp.client.assistant.protocol import server_of
from webapp.client.assistant.session import AssistantSession


@dataclass(frozen=True)
class ScriptedAssistant:
    """Calls the tools of `session`; an answer is its JSON, or the text of a refusal."""

    session: AssistantSession

    def talk(self, script: Callable[[McpClient], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            async with McpClient(server_of(self.session)) as client:
                return await script(client)

        return anyio.run(run)

    def tool(self, name: str, /, **arguments: Any) -> Any:
        """Return the answer of a tool; fail if it refuses."""
        text, is_error = self.called(name, arguments)
        assert not is_error, text
        return json.loads(text)

    def refused(self, name: str, /, **arguments: Any) -> str:
        """Return the sentences of a refusal."""
        text, is_error = self.called(name, arguments)
        assert is_error, text
        return text

    def called(self, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
        found = self.talk(lambda client: client.call_tool(name, arguments))
        [content] = found.content
        return content.text, found.is_error

    def read(self, uri: str) -> str:
        """Return the text of a resource, or the sentence of the refusal."""

        async def script(client: McpClient) -> str:
            try:
                [content] = (await client.read_resource(uri)).contents
            except MCPError as refused:
                return f"refused: {refused}"
            return str(getattr(content, "text", ""))

        return str(self.talk(script))
