"""`sign-in`, `sign-out`, `whoami`."""

import getpass
import sys
from dataclasses import replace
from typing import Any

from .address import checked_address
from .credentials import ADDRESS, Account, credentials_file, forget, keep, read_kept, read_token, well_formed
from .outcomes import CommandFailure, ExitCode
from .server import ApiServer
from .work import Work


def sign_in(work: Work) -> ExitCode:
    """Read a token without echo, try it, and store it readable only by its owner."""
    wanted = work.wanted
    kept = _kept_address(work)
    address = wanted.address or work.environment.get(ADDRESS) or _ask("Address of the server", kept)
    address = checked_address(address, insecure_http=wanted.insecure_http)
    token = read_token(wanted.token_file) if wanted.token_file else _ask_token(address)
    account = Account(address, token, wanted.organisation, wanted.insecure_http)
    with ApiServer(account) as server, work.screen.busy("Trying the token"):
        me, organisation = server.me(), server.my_organisation()
    try:
        path = keep(replace(account, organisation=organisation["slug"]), work.environment)
    except OSError as error:
        place = credentials_file(work.environment)
        raise CommandFailure(ExitCode.REFUSED, f"The account cannot be stored in {place}: {error.strerror}.") from None
    work.screen.say(f"Signed in to {address} as {me['email']}, organisation {organisation['slug']}.", "green")
    work.screen.say(f"The token is stored in {path}; `punctual sign-out` removes it.")
    work.screen.document({**_whoami_document(account, me, organisation), "kept": str(path)})
    return ExitCode.DONE


def sign_out(work: Work) -> ExitCode:
    """Remove the stored token from this machine."""
    removed = forget(work.environment)
    work.screen.say(
        "Signed out on this machine. The token itself is valid until it expires: revoke it on the page Access tokens."
        if removed
        else "You were not signed in."
    )
    work.screen.document({"signed_out": removed})
    return ExitCode.DONE


def whoami(work: Work) -> ExitCode:
    """Show the person, the organisation and the rights of the token in use."""
    with work.screen.busy("Asking the server"):
        me, organisation = work.server.me(), work.server.my_organisation()
    shown = _whoami_document(work.account, me, organisation)
    work.screen.say(f"{me['email']} in {organisation['slug']} ({organisation['name']}) at {work.account.address}")
    work.screen.say(f"may {', '.join(organisation['permissions'])}")
    work.screen.document(shown)
    return ExitCode.DONE


def _whoami_document(account: Account, me: dict[str, Any], organisation: dict[str, Any]) -> dict[str, Any]:
    return {"address": account.address, "email": me["email"], "organisation": organisation}


def _kept_address(work: Work) -> str | None:
    try:
        kept = read_kept(work.environment)
    except CommandFailure:
        return None  # the unreadable file is about to be replaced
    return kept.address if kept else None


def _ask(question: str, otherwise: str | None) -> str:
    if not sys.stdin.isatty():
        raise CommandFailure(ExitCode.USAGE, "There is no terminal to ask for the address: use --address.")
    sys.stderr.write(f"{question}{f' [{otherwise}]' if otherwise else ''}: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() or otherwise or ""


def _ask_token(address: str) -> str:
    if not sys.stdin.isatty():
        raise CommandFailure(
            ExitCode.USAGE, "There is no terminal to ask for the token: use --token-file FILE, or - for stdin."
        )
    return well_formed(getpass.getpass(f"Token for {address} (it is not shown): "))
