"""Tools that prove a query: validate, explain, sample, simulate, compare, what-if, keep a scenario."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from ..library.scenarios import time_text
from ..library.simulations import RowOutcome, SimulatedResult, SimulationResult
from ..outcomes import CommandFailure, ExitCode
from ..output.faults import is_error
from .bounds import MOST_FAULTS, fault_text, some
from .session import AssistantSession

Arguments = Mapping[str, Any]
Answer = dict[str, Any]
MOST_WHY: Final = 5


def validate(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return all errors and warnings of a query."""
    faults = session.client.server.post("queries/validate/", {"text": arguments["text"]})["faults"]
    return {"valid": not any(is_error(each) for each in faults), "faults": some(faults, MOST_FAULTS, fault_text)}


def explain(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return the explanation of a query, node by node."""
    explained = session.client.server.post("queries/explain/", {"text": session.sql(arguments)})
    return {"explanation": explained["text"]}


def take_sample(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return the rows of a sample."""
    rows = session.sample(arguments["sample"])
    return some(rows if isinstance(rows, list) else rows.definition()["sample"]["rows"])


def simulate(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return the results of a query on a sample, its late rows, and the reasons."""
    found = _simulated(session, session.sql(arguments), arguments)
    return {
        "results": {name: some(rows, show=_result) for name, rows in found.outputs.items()},
        "outcomes": found.outcomes,
        "late": some(found.late, show=_row),
        "pending": some(found.holding, MOST_FAULTS),
        "failures": some(found.failures, MOST_FAULTS),
    }


def compare_queries(session: AssistantSession, arguments: Arguments) -> Answer:
    """Return the results that two queries have in common on one sample, and those of only one of them."""
    first, second = (_simulated(session, session.sql(each), arguments) for each in arguments["queries"])
    has_one = len(first.outputs) == len(second.outputs) == 1
    before, after = (Counter(_keys(each, named=not has_one)) for each in (first, second))
    return {
        "equal": before == after,
        "in_both": (before & after).total(),
        "only_first": some([json.loads(key) for key in (before - after).elements()]),
        "only_second": some([json.loads(key) for key in (after - before).elements()]),
        "outcomes": [first.outcomes, second.outcomes],
    }


def compare_policies(session: AssistantSession, arguments: Arguments) -> Any:
    """Return the results of a sample under each late policy of an input."""
    sampled = session.sampled(session.sql(arguments), arguments)
    found = sampled.send(session.client.server, "queries/compare/", input=arguments.get("input"))
    return {**found, "policies": [{**each, "rows": some(each["rows"])} for each in found["policies"]]}


def what_if(session: AssistantSession, arguments: Arguments) -> Any:
    """Return the outcomes and waits of a sample for each delay of an input."""
    sampled = session.sampled(session.sql(arguments), arguments)
    return sampled.send(session.client.server, "queries/what-if/", input=arguments["input"])


def keep_scenario(session: AssistantSession, arguments: Arguments) -> Answer:
    """Store a sample with its expected results as a scenario of a query, and run it.

    Without `expect`, the results of the query's newest version are the expected ones.
    """
    server, query = session.client.server, session.query(arguments["query"])
    sampled, path = session.sampled(query.sql(), arguments), f"queries/{query.id}/scenarios/"
    body = {name: sampled.body[name] for name in ("sample", "advance")}
    expect = arguments.get("expect")
    if expect is None:
        expect = server.post(f"{path}observe/", {**body, "text": sampled.body["text"]})
    if not expect.get("events") and not arguments.get("empty", False):
        words = "The sample has no results, so the scenario would test nothing. Choose another sample, or set `empty`."
        raise CommandFailure(ExitCode.REFUSED, words)
    server.post(path, {"name": arguments["name"], **body, "expect": expect})
    verdict = query.scenario(arguments["name"]).run(query.version_id)
    return {
        "kept": f"{query.name}/{arguments['name']}",
        "version": query.version,
        "expected_results": len(expect.get("events", ())),
        "holds": verdict.holds,
        "differences": verdict.differences(),
    }


def _simulated(session: AssistantSession, text: str, arguments: Arguments) -> SimulationResult:
    sampled = session.sampled(text, arguments)
    return SimulationResult.of(sampled.send(session.client.server, "queries/simulate/"), sampled.types)


def _result(row: SimulatedResult) -> Answer:
    return {"start": time_text(row.start), "end": time_text(row.end), **_payload(row), "why": row.why[:MOST_WHY]}


def _payload(row: SimulatedResult) -> Answer:
    return {"payload": row.payload, "from_rows": row.rows[:MOST_WHY]}


def _row(row: RowOutcome) -> Answer:
    return {
        "row": row.sample_row,
        "stream": row.stream,
        "start": None if row.start is None else time_text(row.start),
        "outcome": row.outcome,
        "payload": row.payload,
        "why": row.why[:MOST_WHY],
    }


def _keys(found: SimulationResult, *, named: bool) -> Iterable[str]:
    """Return the results as text, to count equal ones; `named`: with their outputs."""
    for name, rows in found.outputs.items():
        for row in rows:
            shown = {"start": time_text(row.start), "end": time_text(row.end), "payload": row.payload}
            yield json.dumps({"output": name, **shown} if named else shown, ensure_ascii=False, sort_keys=True)
