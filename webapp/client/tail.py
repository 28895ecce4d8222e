"""`tail`: the results of a run, or of all runs of its binding, oldest first, and then each new one.

The server sends pages, newest first. Ids of rows grow with time (batch, part, row). Only rows after the last printed
one are printed next, so no row repeats. Pages are followed back to that row before anything is printed, so no row is
missing. Only the cursors of the pages are kept in memory, not their rows.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from .outcomes import CommandFailure, ExitCode
from .output.screen import clean_line
from .runs import EVERY_S, patiently
from .work import Work, run_of

PAGE: Final = 500
FIRST_PAGE: Final = 50
"""Small, because the newest page is read every second and most of it is already printed."""
SHOWN_FIRST: Final = 10
"""Rows that are shown before following, without `--from-start`."""
Row = Mapping[str, Any]
Place = tuple[int, ...]
Pages = Callable[[str | None], Mapping[str, Any]]
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_ID: Final = re.compile(r"\d+(-\d+)*")


def tail(work: Work) -> ExitCode:
    """Print rows until the run has ended, `--limit` is reached, or ctrl-C."""
    run = run_of(work.server, work.args.what)
    try:
        for count, row in enumerate(_rows(work, run["id"]), start=1):
            _print(work, row)
            if count == work.args.limit:
                return ExitCode.DONE
    except KeyboardInterrupt:
        return ExitCode.DONE
    return ExitCode.DONE


def _rows(work: Work, run: str) -> Iterator[Row]:
    def pages(before: str | None) -> Mapping[str, Any]:
        limit = FIRST_PAGE if before is None else PAGE
        asked = {"before": before, "limit": limit, "runs": "all" if work.args.all_runs else None}
        page: Mapping[str, Any] = patiently(work, f"runs/{run}/results/", **asked)
        if before is not None and page["next"] == before:
            raise CommandFailure(ExitCode.NO_SERVER, "The server's pages of results do not end. Its log may say why.")
        return page

    last: Place = ()
    newest = None if work.args.from_start else SHOWN_FIRST
    while True:
        state = patiently(work, f"runs/{run}/")  # read before the pages: after the end of the run they are complete
        for row in newer(pages, last, newest):
            last = place_of(row)
            yield row
        newest = None
        if work.args.no_follow:
            return
        if state["ended_at"] is not None:
            _check_end(state)
            return
        work.pause(EVERY_S)


def _check_end(run: Mapping[str, Any]) -> None:
    if run["observed"] == "failed":
        raise CommandFailure(ExitCode.REFUSED, f"The run failed: {run['message'] or 'see `punctual run logs`.'}")


def newer(pages: Pages, last: Place, newest: int | None = None) -> Iterator[Row]:
    """Yield the rows after `last`, oldest first; at most the `newest` of them.

    A page may be short or empty although another follows.
    """
    page = pages(None)
    rows = [row for row in page["rows"] if place_of(row) > last]
    if newest is not None:
        while len(rows) < newest and page["next"] is not None:
            page = pages(page["next"])
            rows += page["rows"]
        yield from reversed(rows[:newest])
        return
    cursors: list[str] = []
    while page["next"] is not None and all(place_of(row) > last for row in page["rows"]):
        cursors.append(page["next"])
        page = pages(page["next"])
    for cursor in reversed(cursors):
        yield from (row for row in reversed(pages(cursor)["rows"]) if place_of(row) > last)
    yield from reversed(rows)


def place_of(row: Row) -> Place:
    """Return the row's id as numbers in the order of time. Raises `CommandFailure` for unknown ids."""
    text = str(row["id"])
    if not _ID.fullmatch(text):
        raise CommandFailure(
            ExitCode.NO_SERVER, "The server's results have ids that this client does not know. Update it."
        )
    return tuple(int(number) for number in text.split("-"))


def _print(work: Work, row: Row) -> None:
    if work.screen.json:
        work.screen.json_line(row)
        return
    values = "  ".join(f"{name}={_value(value)}" for name, value in row["payload"].items())
    of_run = f"{row['run'] or 'before-runs-had-ids'}  " if work.args.all_runs else ""
    columns = ", ".join(row.get("incomplete_columns") or ())
    mark = f"  (incomplete{': ' if columns else ''}{columns})" if row.get("incomplete") else ""
    line = f"{of_run}{row['output']}  {instant(row['start'])} .. {instant(row['end'])}  {values}{mark}"
    work.screen.say(clean_line(line))


def _value(value: object) -> str:
    return "null" if value is None else str(value)


def instant(ticks: int | None) -> str:
    """Return ticks (microseconds since 1970) as ISO text in UTC; infinity for None, the number outside the calendar."""
    if ticks is None:
        return "infinity"
    try:
        at = EPOCH + timedelta(microseconds=ticks)
    except OverflowError:
        return str(ticks)
    return at.replace(tzinfo=None).isoformat(timespec="microseconds").removesuffix(".000000") + "Z"
