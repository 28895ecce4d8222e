"""`mcp`: serve an assistant."""

from ..library.client import Client
from ..outcomes import CommandFailure, ExitCode
from ..work import Work
from .session import AssistantSession

MISSING = "`punctual mcp` needs the package mcp. Install it: pip install 'mcp>=2.3'."


def serve(work: Work) -> ExitCode:
    """Serve an assistant over stdio, or over HTTP on this machine, with a token that only reads and proposes."""
    account = work.account
    client = Client(account.address, account.token, account.organisation, insecure_http=account.insecure_http)
    session = AssistantSession(work.closing.enter_context(client))
    session.check_token()
    try:
        from .protocol import serve_http, serve_stdio
    except ImportError as error:
        if error.name not in {"mcp", "mcp_types"}:
            raise
        raise CommandFailure(ExitCode.USAGE, MISSING) from None
    if work.args.http is None:
        serve_stdio(session)
    else:
        work.screen.note(f"Serving on http://127.0.0.1:{work.args.http}/mcp. Stop with ctrl-C.")
        serve_http(session, account.token, work.args.http)
    return ExitCode.DONE
