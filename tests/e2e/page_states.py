"""States of pages that a quiet installation does not have, made by changing the API's responses to the browser."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from playwright.sync_api import Page, Route, expect

from tests.e2e.browsing import DemoPages, named
from webapp.runs.demo import SLUG

MINUTE: Final = 60_000_000
LONG: Final = "a_name_without_a_space_" + "that_goes_on_" * 13 + "and_ends"
ARABIC: Final = "مراقبة السيارات السريعة"
HEBREW: Final = "מכוניות מהירות"
NEXT_START: Final = {
    "goes_on": False,
    "inputs_ended": False,
    "delivers_to": ["file", "postgresql"],
    "reason": "The query, its streams or its settings differ from the last run's, so its saved state can't be reused.",
    "sentence": "Windows that were open will be complete. Reads 1,234,567 rows again, from an earlier position.",
    "open_from": 1_795_420_140_000_000,
    "open_until": 1_795_420_140_000_000 + 3 * MINUTE,
    "open_windows": 3,
    "open_rows": 12,
    "options": [
        {
            "begin": "oldest_open",
            "sentence": "Windows that were open will be complete. Reads 1,234,567 rows again, from an earlier "
            "position, and repeats no result.",
            "rows_again": 1_234_567,
            "rows_at_most": False,
            "incomplete": False,
            "whole_from": None,
        },
        {
            "begin": "old_positions",
            "sentence": "Resumes where the last run stopped reading. The content of windows that were open then is "
            "lost. Results that start before 2026-11-23 07:50:00Z are marked as incomplete; later results are "
            "complete.",
            "rows_again": 0,
            "rows_at_most": False,
            "incomplete": True,
            "whole_from": 1_795_420_200_000_000,
        },
        {
            "begin": "beginning",
            "sentence": "Reads its inputs from the start; earlier results are emitted again if their rows are still "
            "available. Open windows lose rows that the inputs no longer have.",
            "rows_again": 0,
            "rows_at_most": False,
            "incomplete": False,
            "whole_from": None,
        },
    ],
    "not_carried": "The node w, or a node before it, is different in this version, so its saved state can't be reused. "
    "Open windows can only be rebuilt by reading their rows again.",
    "mark": "b1946ac92492d234",
    "nodes": [
        {
            "node": "a_window_with_a_long_name_of_its_own_that_goes_on_and_on_and_on",
            "kind": "window",
            "standing": "widened",
        }
        | {"added": ["average_speed_in_each_minute"], "removed": [], "changed": []},
        {
            "node": "w",
            "kind": "window",
            "standing": "lost",
            "added": [],
            "removed": [],
            "changed": ["window", "group_by"],
        },
        {"node": "pairs", "kind": "join", "standing": "gone", "added": [], "removed": [], "changed": []},
    ],
}
STEPS: Final = ("requested", "launching", "session", "planning", "first_batch")
STANDBY_STEPS: Final = ("requested", "standby", "planning", "first_batch")
DISCARDED: Final = {
    **NEXT_START,
    "reason": "The state of the last run was discarded when it was stopped.",
    "sentence": NEXT_START["options"][2]["sentence"],
    "open_from": None,
    "open_until": None,
    "open_windows": None,
    "not_carried": None,
    "options": [
        NEXT_START["options"][2],
        NEXT_START["options"][1]
        | {
            "sentence": "Only its read position is still known. Windows, joins and counts start empty there, and the "
            "discarded state is not rebuilt. Results that start before 2026-11-23 07:50:00Z are marked as incomplete; "
            "later results are complete."
        },
    ],
    "nodes": [],
}
MISSING: Final = {"message": "There is no file or folder 'cars.jsonl'.", "remedy": "Create it, or correct the path."}
AT: Final = 1_795_420_500_000_000
UNASKED: Final = {
    "lane": "0",
    "earliest": 0,
    "end": None,
    "at_time": None,
    "stopped": None,
    "reach": None,
    "from_at": None,
    "until_at": None,
    "rows": None,
    "bytes": None,
    "rows_since": None,
    "bytes_since": None,
    "at_most": False,
    "unit": "row",
}
TOPIC: Final = UNASKED | {
    "earliest": 48_120_000,
    "end": 48_123_400,
    "stopped": 48_122_000,
    "reach": AT - 5 * MINUTE,
    "rows": 3_400,
    "at_most": True,
}


@dataclass(frozen=True)
class PageState:
    """A named state of the page at `address`; `act` leads to it after the page has loaded."""

    name: str
    address: str
    answers: dict[str, Callable[[Any], Any]]
    act: Callable[[Page], None]


def states(page: Page, pages: DemoPages) -> Iterator[PageState]:
    """Yield every state, in addition to the pages themselves."""
    binding = named(page, SLUG, "bindings", "cars_by_minute")["id"]
    stored = page.request.get(f"/api/t/{SLUG}/bindings/{binding}/").json()
    yield PageState("binding", f"{pages.overview}/bindings/{binding}", {}, _nothing)
    yield PageState("stream_edit", f"{pages.stream}/edit", {}, _nothing)
    yield PageState("stream_new", f"{pages.streams}/new", {}, _nothing)
    yield PageState(
        "start_asks",
        pages.runs,
        {"**/bindings/": _one_runs, "**/next-start/": lambda _: NEXT_START, "**/timeline/**": _gone},
        _press("Start cars_by_minute"),
    )
    yield PageState(
        "start_refused",
        pages.runs,
        {"**/bindings/": _one_runs, "**/start/": _refused(stored)},
        _press_refused("Start cars_by_minute"),
    )
    binding_page = f"{pages.overview}/bindings/{binding}"
    for name, way, holds in (
        ("discarded", "From the beginning", _topic),
        ("positions", "From positions", _topic),
        ("refused", "From now", _changes),
    ):
        yield PageState(
            f"start_from_{name}",
            binding_page,
            {"**/bindings/*/": _never_ran, "**/next-start/": lambda _: DISCARDED, "**/timeline/**": holds},
            _begin_elsewhere(way),
        )
    yield PageState("run_standby", pages.run, {"**/runs/*/": _standby, "**/history/**": _no_history}, _nothing)
    yield PageState("run_starting", pages.run, {"**/runs/*/": _starting, "**/history/**": _no_history}, _nothing)
    yield PageState("run_failed", pages.run, {"**/runs/*/": _failed, "**/history/**": _no_history}, _nothing)
    for name in (LONG, ARABIC, HEBREW):
        kind = "long" if name == LONG else "arabic" if name == ARABIC else "hebrew"
        yield PageState(
            f"runs_{kind}",
            pages.runs,
            {"**/bindings/": lambda body, name=name: _named(name)(_one_runs(body)), "**/runs/": _named(name)},
            _nothing,
        )
        yield PageState(f"run_{kind}", pages.run, {"**/runs/*/": _named(name)}, _nothing)
        yield PageState(f"streams_{kind}", pages.streams, {"**/streams/": _named(name)}, _nothing)
        yield PageState(f"stream_{kind}", pages.stream, {"**/streams/*/": _named(name)}, _nothing)
        yield PageState(f"query_{kind}", pages.query, {"**/queries/*/": _named(name)}, _nothing)
        yield PageState(
            f"overview_{kind}", pages.overview, {"**/me/": _named(name), "**/runs/": _named(name)}, _nothing
        )
    yield PageState("new_token", pages.tokens, {}, _press("New token"))
    yield PageState("invite", pages.members, {}, _press("Invite a person"))
    yield PageState("new_service_account", pages.service_accounts, {}, _press("New service account"))
    yield PageState("rename", pages.settings, {}, _press("Rename…"))
    yield PageState("delete_organisation", pages.settings, {}, _press("Delete…"))
    yield PageState("delete_stream", pages.stream, {}, _press("Delete…"))
    yield PageState("new_binding", pages.runs, {}, _press("New binding…"))
    yield PageState("stop", pages.runs, {"**/bindings/": _one_runs}, _press("Stop speeding"))
    yield PageState("reset", "/reset-password", {}, _nothing)


@contextmanager
def answering(page: Page, state: PageState) -> Iterator[None]:
    """Change the API's responses for `state` within this context."""

    def changed(change: Callable[[Any], Any]) -> Callable[[Route], None]:
        def answer(route: Route) -> None:
            if route.request.method != "GET":
                refusal = change(None)
                if refusal is None:
                    route.continue_()
                else:  # nothing is changed: only the refusal is drawn
                    route.fulfill(status=422, json=refusal)
                return
            found = route.fetch()
            body = change(found.json())
            route.fulfill(status=found.status, json=body)

        return answer

    if "**/runs/*/" in state.answers:
        page.route("**/events/**", lambda route: route.abort())  # otherwise it would report the real state at once
    for pattern, change in state.answers.items():
        page.route(pattern, changed(change))
    try:
        yield
    finally:
        page.goto("about:blank")
        page.unroute_all(behavior="ignoreErrors")


def _nothing(_: Page) -> None:
    """Do nothing: the page itself is the state."""


def _press(name: str) -> Callable[[Page], None]:
    def press(page: Page) -> None:
        page.get_by_role("button", name=name, exact=True).first.click()
        expect(page.get_by_role("dialog")).to_be_visible()

    return press


def _press_refused(name: str) -> Callable[[Page], None]:
    def press(page: Page) -> None:
        page.get_by_role("button", name=name, exact=True).first.click()
        expect(page.get_by_text(MISSING["message"])).to_be_visible()

    return press


def _refused(binding: dict[str, Any]) -> Callable[[Any], Any]:
    stream = binding["inputs"][0]
    mend = [
        {"kind": "stream", "id": stream["stream"], "name": stream["stream_name"]},
        {"kind": "binding", "id": binding["id"], "name": binding["name"]},
        {"kind": "query", "id": binding["query"], "name": binding["query_name"]},
    ]
    fault = {"code": "bad_adapter", "severity": "error", "node": "cars", "field": None, "at": None, "span": None}
    envelope = {"code": "faulty", "message": "1 error found. Fix the listed errors and send the request again."}
    return lambda _: envelope | {"faults": [fault | MISSING | {"mend": mend}]}


def _run(run: Any, **parts: Any) -> Any:
    return {**run, **parts} if isinstance(run, dict) and "binding_name" in run else run


def _begin_elsewhere(way: str) -> Callable[[Page], None]:
    def choose(page: Page) -> None:
        page.get_by_role("button", name="Start from…").first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("radio", name=way, exact=True).check()
        expect(dialog.get_by_text("Checking the contents of")).to_have_count(0)

    return choose


def _never_ran(binding: Any) -> Any:
    return {**binding, "latest_run": None} if isinstance(binding, dict) and "inputs" in binding else binding


def _topic(shown: Any) -> Any:
    topic = {"seeks": True, "time_means": "has a timestamp of then or later", "failure": None}
    lanes = [TOPIC, TOPIC | {"lane": "1", "stopped": 48_123_400}]
    return _held(shown, topic | {"lanes": lanes, "refused": {}})


def _gone(shown: Any) -> Any:
    sentence = "It no longer has the rows that would have to be read again: they were deleted or changed at the "
    sentence += "source. So open windows can't be completed."
    return _held(shown, {"again": {"standing": "gone", "sentence": sentence}})


def _changes(shown: Any) -> Any:
    why = (
        "The server reports changes only from the time when reading starts, based on the rows that the table has then. "
    )
    why += "Start at the beginning, which emits these rows and all later changes, or at the number of a line that was "
    why += "already read (positions)."
    lanes = [UNASKED | {"stopped": 1_234}]
    table = {"seeks": True, "time_means": None, "failure": None, "lanes": lanes, "refused": {"now": why, "time": why}}
    return _held(shown, table)


def _held(shown: Any, fields: dict[str, Any]) -> Any:
    inputs = [{**each, **fields} for each in shown.get("inputs", [])]
    return {"at": AT, "stopped_at": AT - 4 * MINUTE, "inputs": inputs}


def _standby(run: Any) -> Any:
    return _started(run, STANDBY_STEPS)


def _starting(run: Any) -> Any:
    return _started(run, STEPS)


def _started(run: Any, names: Sequence[str]) -> Any:
    at = 1_795_420_140_000_000
    steps = [{"name": name, "at": at + number * 7_000_000} for number, name in enumerate(names)]
    return _run(run, observed="starting", progress=None, steps=steps, message=None)


def _failed(run: Any) -> Any:
    message = "The file '2026/cars.csv' has no column 'speed'. Add it, or change the stream's fields."
    ended = {"ended_at": "2026-11-23T07:50:00+00:00", "desired": "stopped"}
    return _run(run, observed="failed", domain="user", message=message, progress=None, **ended)


def _one_runs(bindings: Any) -> Any:
    """Only `speeding` runs, whatever their states in this installation are."""
    if not isinstance(bindings, list):
        return bindings
    open_run = {"desired": "running", "observed": "running", "ended_at": None, "message": None}
    return [
        {**each, "latest_run": {**each["latest_run"], **open_run} if each["name"] == "speeding" else None}
        for each in bindings
    ]


def _no_history(history: Any) -> Any:
    return {**history, "samples": [], "known": [], "latest": None} if isinstance(history, dict) else history


def _named(name: str) -> Callable[[Any], Any]:
    """Give this name to every object that has one."""

    def change(body: Any) -> Any:
        if isinstance(body, list):
            return [change(each) for each in body]
        if not isinstance(body, dict):
            return body
        renamed = {key: name for key in body if key in _NAMES and isinstance(body[key], str)}
        return {key: change(value) if key in _INSIDE else value for key, value in body.items()} | renamed

    return change


_NAMES: Final = frozenset({"name", "binding_name", "binding_name_now", "query_name", "stream_name", "email"})
_INSIDE: Final = frozenset({"inputs", "latest_run", "results", "organisations", "person"})
