"""Tools that change something: plan, ask a person for a confirmation, carry out a confirmed plan."""

from collections.abc import Mapping
from typing import Any, Final

from ..library.bundles import DefinitionBundle
from ..outcomes import CommandFailure, ExitCode
from ..work import as_id, everything
from .bounds import MOST_FAULTS, fault_text, some
from .proving import Answer, Arguments
from .session import AssistantSession

SETTINGS: Final = {"apply": ("files", "prune"), "start": ("binding", "begin"), "stop": ("binding", "how")}
REQUIRED: Final = {"apply": "files", "start": "binding", "stop": "binding"}
NEXT: Final = (
    "Show this page to a person. Nothing changes until a person who signed in confirms the plan there. Then call "
    "carry_out with this confirmation, within 15 minutes."
)
LISTS: Final = ("streams", "queries", "bindings", "runs", "confirmations", "scenarios")
LEFT_OUT: Final = frozenset({"adapter", "inputs", "outputs", "progress", "steps", "graph", "text", "verdict"})


def list_things(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return the objects of one kind, in short."""
    kind, server = arguments["kind"], session.client.server
    if kind != "scenarios":
        return some(everything(server, kind), show=_short)
    if "query" not in arguments:
        raise CommandFailure(ExitCode.USAGE, "Pass `query`, the name of the query whose scenarios you want.")
    return some(server.get(f"queries/{session.query(arguments['query']).id}/scenarios/"), show=_scenario)


def _short(found: Mapping[str, Any]) -> Answer:
    return {name: value for name, value in found.items() if name not in LEFT_OUT}


def _scenario(found: Mapping[str, Any]) -> Answer:
    verdict = found["verdict"]
    return {**_short(found), "holds": None if verdict is None else verdict["findings"]["holds"]}


def plan(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return the changes and errors of applying files; nothing is stored, and nobody is asked."""
    planned = session.client.plan(DefinitionBundle(arguments["files"]), prune=arguments.get("prune", False))
    return {
        "valid": planned.is_valid,
        "summary": planned.summary,
        "changes": some([vars(each) for each in planned.changes]),
        "faults": some(planned.answer["faults"], MOST_FAULTS, fault_text),
    }


def request_confirmation(session: AssistantSession, arguments: Arguments) -> Answer:
    """Plan a change, store the plan for a person to confirm, and return the page where they decide."""
    kind, server = arguments["kind"], session.client.server
    strange = sorted(arguments.keys() - {"kind", *SETTINGS[kind]})
    if strange or REQUIRED[kind] not in arguments:
        words = f"To {kind}, pass {REQUIRED[kind]}, and of the other arguments only {', '.join(SETTINGS[kind])}."
        raise CommandFailure(ExitCode.USAGE, words)
    body = dict(arguments)
    if "binding" in body:
        body["binding"] = session.client.binding(body["binding"]).id
    found = server.post("confirmations/", body)
    session.files[found["id"]] = arguments.get("files", {})
    return {
        **_summary_of(session, found),
        "effect": found["sentences"],
        "changes": some(found["changes"]),
        "next": NEXT,
    }


def confirmation_status(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return the status of a plan: pending, confirmed, refused, carried_out or expired."""
    return _summary_of(session, session.client.server.get(_path(arguments["confirmation"])))


def carry_out(session: AssistantSession, arguments: Arguments) -> Answer:
    """Carry out a plan that a person confirmed, once, in the state that it was planned against."""
    confirmation = arguments["confirmation"]
    files = arguments.get("files") or session.files.get(confirmation, {})
    found = session.client.server.post(f"{_path(confirmation)}carry-out/", {"files": files})
    session.files.pop(confirmation, None)
    return _summary_of(session, found)


def _path(confirmation: str) -> str:
    """Return the path of a plan. Raises `CommandFailure` unless it is an id: other text could lead elsewhere."""
    if as_id(confirmation) is None:
        raise CommandFailure(ExitCode.USAGE, "A confirmation is the id that request_confirmation returned.")
    return f"confirmations/{as_id(confirmation)}/"


def _summary_of(session: AssistantSession, found: Mapping[str, Any]) -> Answer:
    names = ("title", "status", "expires_at", "decided_by")
    return {"confirmation": found["id"], "page": session.page(found["id"]), **{name: found[name] for name in names}}
