"""The Model Context Protocol: the tools and resources as a server, over stdio or over HTTP on this machine."""

import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final

import anyio
import mcp_types as types
import uvicorn
from jsonschema import Draft202012Validator
from mcp.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

from ..library.version import __version__
from ..outcomes import CommandFailure
from . import resources
from .bounds import bounded_text, failure_text
from .session import AssistantSession
from .tools import BY_NAME, INSTRUCTIONS, TOOLS, AssistantTool

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
HOST: Final = "127.0.0.1"
MOST_BODY_BYTES: Final = 8 * 1024 * 1024
MOST_WRONG: Final = 5
LONGEST_WRONG: Final = 300


def server_of(session: AssistantSession) -> Server[Any]:
    """Return the server of an assistant, for any transport."""

    async def list_tools(_: Any, __: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_tool(each) for each in TOOLS])

    async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        text, is_error = await anyio.to_thread.run_sync(_called, session, params.name, params.arguments or {})
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=is_error)

    async def list_resources(_: Any, __: Any) -> types.ListResourcesResult:
        found = await anyio.to_thread.run_sync(_refusing, resources.listed, session)
        return types.ListResourcesResult(
            resources=[
                types.Resource(uri=each.uri, name=each.name, description=each.description, mime_type=each.kind)
                for each in found
            ]
        )

    async def list_templates(_: Any, __: Any) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(
                    uri_template=each.uri, name=each.name, description=each.description, mime_type=each.kind
                )
                for each in resources.TEMPLATES
            ]
        )

    async def read_resource(_: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        uri = str(params.uri)
        found = await anyio.to_thread.run_sync(_refusing, resources.read, session, uri)
        content = types.TextResourceContents(uri=uri, mime_type=found.kind, text=bounded_text(found.text))
        return types.ReadResourceResult(contents=[content])

    return Server(
        "punctual",
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_list_resource_templates=list_templates,
        on_read_resource=read_resource,
    )


def _tool(tool: AssistantTool) -> types.Tool:
    hints = types.ToolAnnotations(read_only_hint=tool.reads, open_world_hint=False)
    return types.Tool(name=tool.name, description=tool.description, input_schema=tool.schema, annotations=hints)


def _called(session: AssistantSession, name: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """Return the text of a tool's answer, and whether it is a refusal."""
    tool = BY_NAME.get(name)
    if tool is None:
        return f"There is no tool {bounded_text(name[:100])}. There are: {', '.join(BY_NAME)}.", True
    if wrong := list(Draft202012Validator(tool.schema).iter_errors(arguments)):
        lines = [f"- {each.json_path}: {each.message[:LONGEST_WRONG]}" for each in wrong[:MOST_WRONG]]
        return bounded_text("\n".join([f"The arguments of {name} don't fit its schema. Fix them:", *lines])), True
    try:
        return bounded_text(tool.run(session, arguments)), False
    except CommandFailure as failure:
        return failure_text(failure), True
    except ValueError as error:  # of a sample whose values JSON can't hold
        return bounded_text(str(error)), True


def _refusing(read: Callable[..., Any], *arguments: Any) -> Any:
    """Return the outcome of `read`, with refusals as errors of the protocol."""
    try:
        return read(*arguments)
    except CommandFailure as failure:
        raise MCPError(types.INVALID_PARAMS, failure_text(failure)) from None


def serve_stdio(session: AssistantSession) -> None:
    """Serve one assistant on standard input and output until it closes them."""

    async def run() -> None:
        server = server_of(session)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def http_application(session: AssistantSession, token: str) -> Application:
    """Return the application at `/mcp`, which requires `token`: other people may use this machine too."""
    inner = server_of(session).streamable_http_app(host=HOST, max_request_body_size=MOST_BODY_BYTES)
    wanted = f"Bearer {token}".encode()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        given = dict(scope.get("headers", ())).get(b"authorization", b"")
        if scope["type"] == "http" and not secrets.compare_digest(given, wanted):
            headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
            await send({"type": "http.response.start", "status": 401, "headers": headers})
            body = b"Send the token of `punctual mcp` in the header Authorization: Bearer TOKEN.\n"
            await send({"type": "http.response.body", "body": body})
            return
        await inner(scope, receive, send)

    return application


def serve_http(session: AssistantSession, token: str, port: int) -> None:
    """Serve assistants at http://127.0.0.1:PORT/mcp until ctrl-C."""
    uvicorn.run(http_application(session, token), host=HOST, port=port, log_level="warning", access_log=False)
