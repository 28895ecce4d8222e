"""`list`: the contents of the organisation."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from .outcomes import ExitCode
from .work import Work, everything

Row = Callable[[Mapping[str, Any]], Sequence[object]]


def _stream(each: Mapping[str, Any]) -> Sequence[object]:
    more = each["field_count"] - len(each["fields"])
    fields = ", ".join(each["fields"]) + (f" and {more:,} more" if more else "")
    return each["name"], each["shape"], fields, each["adapter_kind"]


def _query(each: Mapping[str, Any]) -> Sequence[object]:
    current = each["current"]
    return each["name"], current["number"], ", ".join(used["name"] for used in each["streams"]), current["comment"]


def _binding(each: Mapping[str, Any]) -> Sequence[object]:
    run = each["latest_run"]
    return (
        each["name"],
        f"{each['query_name']} {each['query_version_number']}",
        ", ".join(one["stream_name"] for one in each["inputs"]),
        run["observed"] if run else "never started",
    )


def run_row(run: Mapping[str, Any]) -> Sequence[object]:
    """Return the cells of a run: binding, query and version with the names at its time, state, time, message, id."""
    version = "of an unknown version" if run["query_version"] is None else run["query_version"]
    ran = run["binding_name"], f"{run['query_name']} {version}"
    return *ran, run["observed"], run["changed_at"][:19], run["message"], run["id"]


RUN_COLUMNS: Final = ("BINDING", "QUERY", "STATE", "SINCE (UTC)", "MESSAGE", "RUN")
KINDS: Final[Mapping[str, tuple[Sequence[str], Row]]] = {
    "streams": (("STREAM", "SHAPE", "FIELDS", "ADAPTER"), _stream),
    "queries": (("QUERY", "VERSION", "STREAMS", "COMMENT"), _query),
    "bindings": (("BINDING", "QUERY", "STREAMS", "STATE"), _binding),
    "runs": (RUN_COLUMNS, run_row),
}


def list_things(work: Work) -> ExitCode:
    """Show one kind, or all of them."""
    kinds = [work.args.kind] if work.args.kind else list(KINDS)
    with work.screen.busy("Reading"):
        found = {kind: everything(work.server, kind) for kind in kinds}
    for place, kind in enumerate(kinds):
        columns, row = KINDS[kind]
        if place:
            work.screen.say("")
        work.screen.table(columns, [row(each) for each in found[kind]])
        if not found[kind]:
            work.screen.say(f"No {kind}.", "dim")
    work.screen.document(found[work.args.kind] if work.args.kind else found)
    return ExitCode.DONE
