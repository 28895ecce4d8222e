"""The pages of the guide: one for each kind of node and of windows, and those on aggregates and on time."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.checks.advance import in_force
from streaming.definition.expressions.functions import FAMILIES
from streaming.definition.expressions.signatures import FunctionEntry
from streaming.definition.graph import Aggregate, OutputNode
from streaming.definition.presets import PRESETS, Preset
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.printing.units import default_name
from streaming.definition.streams.stream import AdvanceTimeSettings, GenerateSettings, History, Load
from streaming.guide.examples import Example, examples_of
from streaming.guide.fields import fields_table, table
from streaming.guide.kinds import NODES, WINDOWS, docstring_of, meaning_of
from streaming.guide.lines import sections_of
from streaming.guide.own_functions import TEXT
from streaming.guide.picture import draw
from streaming.guide.story import run_story
from streaming.planning.explain.cti_rules import NODE_RULES, CtiRule
from streaming.planning.explain.windows.registry import WINDOW_KINDS
from streaming.temporal.settings import AdvanceTime, Generate, Late
from streaming.temporal.ticks import NO_TICKS, Ticks, format_duration
from streaming.wire.execution.case import Case

_WRITTEN = "<!-- Written by `python -m streaming.guide`; edit the code or the examples, not this page. -->"
EXAMPLES = "examples.json"
"""The content for the time simulator: the query of each example as SQL, its streams, its rows and its end."""
READING = (
    "Read a picture from top to bottom: rows are in order of arrival, each at its own time. "
    "The violet staircase is the CTI that each row met: all time to its left is final."
)


_HISTORY = """\
A stream may have a `history`: an archive that is read to its end before live rows. The results are those of one run
over the rows of the archive and then those of live, without the rows that are in both; they have the outcome `overlap`.

- The `seam` says which source has a row, by exactly one of three. `position`: history has what is before this place in
  each lane of live, for example a Kafka offset; exact, also for late events. `time`: history has what starts before it;
  it must be whole, because a late event that only live has is lost. `id`: a live row whose id history had is an
  overlap; with `over`, only the ids of the last rows are kept.
- The `adapter` of a history is one that ends: files, objects in S3, a Delta table or a download. Its rows are judged in
  their order of arrival, so sort an archive by time if its rows should not be late. They have no arrival time, so wall
  clocks do nothing.
- Before the first row of the archive is read, live must still have everything after the seam. Otherwise the start fails
  with `seam_gone`, and nothing was read. A run that is stopped or killed resumes within history or after it.
- Results of history alone are marked as historic. `historic: store` stores them but delivers none to outputs,
  `deliver` delivers them too, `discard` drops them. A result that needed live rows is not historic."""


_LOADS = """\
## Tables that are loaded whole

A stream of the shape `table` with `load` reads its files whole, again whenever they are replaced. Each load is a
snapshot: from its time on the table is as in the files. `effective` chooses that time: `poll` (when the change was
found), `file_time` (when the file was written), `column NAME` (a column with the same time in every row), or
`path PATTERN`, for example `path 'prices-'yyyy-MM-dd'.csv'`: then each file is a load at the date in its name.

A load counts whole or not at all. A file that is replaced while it is copied is read again at the next poll; a load
with a row that can't be read is malformed, and the versions before it stay. Write a new file to a name that begins with
a dot, and rename it when it is complete. Runs read a copy, so a restart gives the same versions."""


_CHANGES = """\
## Changes of a table

Two kinds of adapters read the changes of a database's table: `postgresql_changes` reads the log of PostgreSQL, and
`kafka` with `envelope: debezium` reads a topic that Debezium writes for PostgreSQL, MySQL or MariaDB, in JSON or Avro.
The shape of the stream chooses what a change is:

- `edge`: the lifetime of a row, from its insert or update until its next update or deletion.
- `table`: a version of its key, for as-of joins; a deleted row has a deletion.
- `point`: an event for each written row, at a time in its columns (`_start` for the time of the commit).

```json
{"shape": "table", "keys": ["currency"], "fields": {"currency": "string", "rate": "decimal(10,4)"}}
{"kind": "kafka", "options": {"brokers": "broker:9092", "topic": "shop.public.rates", "envelope": "debezium"}}
```

All changes of a transaction take effect at the time of its commit, and a row that it writes twice counts once. A change
that the connector sends again after a restart counts once, too. A topic has the changes of one table. MySQL without
GTIDs names no transactions: set `provide.transaction.metadata=true` of the connector, otherwise each event of its log
takes effect separately. Let the connector write schemas (in JSON
`value.converter.schemas.enable=true`, or Avro with a registry): without them, neither the unit of a time nor the scale
of a decimal is known, and such values are malformed. A CTI follows each transaction. Set the idle rule of the stream if
other inputs must not wait while nothing changes in a topic."""


def pages() -> Iterator[tuple[str, str]]:
    """Yield every file of the guide: its name and its text. The result is always the same."""
    yield "README.md", _index()
    for kind in NODES:
        more = [_history()] if kind == "input" else []
        parts = [_meaning(kind), _node_fields(kind), *more, _time(NODE_RULES[kind]), _reference(kind)]
        yield from _page(kind, f"`{kind}`", parts)
    for kind in WINDOWS:
        parts = [_meaning(kind), _window_fields(kind), _time(WINDOW_KINDS[WINDOWS[kind]].rule), _reference(kind)]
        yield from _page(f"window_{kind}", f"`{kind}` windows", parts)
    yield from _page("aggregates", "Aggregates", [_aggregates()])
    yield from _page("advance_time", "Advance time", _advance_time())
    yield "functions.md", _functions()
    yield EXAMPLES, _simulator_examples()


def _page(name: str, title: str, parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield a page and its pictures; its examples come after the first part."""
    examples = examples_of(name)
    shown = "\n\n".join(_example(example) for example in examples)
    first, *rest = parts
    text = "\n\n".join(
        [_WRITTEN, f"# {title}", first, f"## Examples\n\n{READING}", shown, *rest, "[All pages](README.md)"]
    )
    yield f"{name}.md", f"{text}\n"
    for example in examples:
        yield f"{example.transcript.name}.svg", picture(example)


def picture(example: Example) -> str:
    """Return the picture of the reference's run of `example`."""
    case = example.case
    return draw(example.caption.replace("`", ""), sections_of(run_story(case), _titles(case)))


def _titles(case: Case) -> Mapping[str, str]:
    by_node = in_force(case.graph, case.streams, case.advance)
    streams = {node.stream: by_node[node.id] for node in case.graph.nodes if node.kind == "input"}
    outputs = {node.id: f"{node.id}: results" for node in case.graph.nodes if isinstance(node, OutputNode)}
    return {name: _stream_title(name, case.streams[name].shape, each) for name, each in streams.items()} | outputs


def _stream_title(name: str, shape: str, settings: AdvanceTimeSettings) -> str:
    parts = [f"{name}: {shape}s"]
    if settings.preset is not None:
        parts.append(settings.preset)
    if settings.generate is not None:
        every = settings.generate.every
        parts.append("a CTI after every event" if every == 1 else f"a CTI every {every}{_events(every)}")
    if settings.import_from is not None:
        parts.append(f"CTIs from {settings.import_from}")
    if settings.late is not None:
        parts.append(f"late: {settings.late}")
    return ", ".join(parts)


def _events(every: int | str) -> str:
    return " events" if isinstance(every, int) else ""


def _example(example: Example) -> str:
    name = example.transcript.name
    sql = f"As SQL:\n\n```sql\n{as_sql(example.case).rstrip()}\n```"
    text = f"<details><summary>The example <code>{name}</code></summary>\n\n```yaml\n{example.text}\n```\n\n</details>"
    return f"{example.caption}\n\n![Timeline of the example {name}]({name}.svg)\n\n{sql}\n\n{text}"


def _simulator_examples() -> str:
    pages = (*NODES, *(f"window_{kind}" for kind in WINDOWS), "aggregates", "advance_time")
    found = {each.transcript.name: _simulator_example(page, each) for page in pages for each in examples_of(page)}
    return f"{json.dumps(found, ensure_ascii=False, indent=1)}\n"


def _simulator_example(page: str, example: Example) -> dict[str, Any]:
    case = example.case
    transcript = example.transcript.model_dump(mode="json", exclude_unset=True)
    streams = {name: stream.model_dump(mode="json", exclude_unset=True) for name, stream in case.streams.items()}
    sample = {"rows": transcript["input"], "end": str(case.end)}
    return {"page": page, "caption": example.caption, "text": as_sql(case), "streams": streams, **sample}


def as_sql(case: Case) -> str:
    """Return the query of an example as text, with the time settings of its inputs and their streams."""
    graph = case.graph.model_copy(update={"name": default_name(case.graph)})
    return print_sql(graph, advance=in_force(graph, case.streams, case.advance))


def _meaning(kind: str) -> str:
    model = NODES[kind] if kind in NODES else WINDOWS[kind]
    return docstring_of(model)


def _reference(kind: str) -> str:
    by_place: dict[str, list[str]] = {}
    for place, words in meaning_of(kind):
        by_place.setdefault(place, []).append(words)
    parts = ["\n\n".join((f"In `{place}`:", *(_quote(words) for words in each))) for place, each in by_place.items()]
    return "## Definition in the reference\n\n" + "\n\n".join(parts)


def _quote(words: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in words.split("\n"))


def _node_fields(kind: str) -> str:
    more = ""
    if kind in ("window", "top_k"):
        links = ", ".join(f"[{name}](window_{name}.md)" for name in WINDOWS)
        more = f"\n\nKinds of windows: {links}. Aggregates: [their page](aggregates.md)."
    return f"## Fields\n\nIn addition to `id` and `kind`:\n\n{fields_table(NODES[kind])}{more}"


def _history() -> str:
    parts = (f"## History, then live\n\n{_HISTORY}", fields_table(History), _LOADS, fields_table(Load), _CHANGES)
    return "\n\n".join(parts)


def _window_fields(kind: str) -> str:
    node = "These fields belong to `window` of a [window](window.md) or a [top_k](top_k.md) node."
    return f"## Fields\n\n{node} In addition to `kind`:\n\n{fields_table(WINDOWS[kind])}"


def _time(rule: CtiRule) -> str:
    return f"## Output CTI\n\nWhen the CTI `c` comes in: **{rule.out}**.\n\n{rule.why}"


def _aggregates() -> str:
    lines = [_row(f"`{each.signature}`", each.help) for each in AGGREGATES.values()]
    return (
        f"{docstring_of(Aggregate)}\n\n{table(('aggregate', 'gives'), lines)}\n\n"
        "Null values do not count, except for `count` without `of`. Without values the result is null, but 0 for "
        f"counts and an empty array for lists.\n\n## Fields\n\n{fields_table(Aggregate)}"
    )


def _advance_time() -> list[str]:
    presets = [_row(f"`{preset.form(name)}`", _stands_for(preset)) for name, preset in PRESETS.items()]
    return [
        docstring_of(AdvanceTimeSettings),
        f"## Fields\n\n{fields_table(AdvanceTimeSettings)}",
        f"### `generate`\n\n{docstring_of(GenerateSettings)}\n\n{fields_table(GenerateSettings)}",
        f"### Presets\n\n{table(('preset', 'settings, if the lengths are 1us, 2us ...'), presets)}",
    ]


def _stands_for(preset: Preset) -> str:
    """Return the settings of a preset whose lengths are 1, 2 and so on, unless they are the default."""
    lengths = iter(range(1, 10))
    given = [Late.SHIFT if kind == "policy" else Ticks(next(lengths)) for kind in preset.parameters.values()]
    settings = preset.settings(*given)
    generated = _changed_settings(settings.generate, Generate(NO_TICKS)) if settings.generate else []
    plain = replace(settings, generate=None)
    return ", ".join([*generated, f"late {settings.late}", *_changed_settings(plain, AdvanceTime(late=settings.late))])


def _changed_settings(settings: Any, default: Any) -> list[str]:
    """Return the settings that differ from `default`: lengths as durations, others unchanged."""
    changed = {
        each.name: value
        for each in fields(settings)
        if (value := getattr(settings, each.name)) != getattr(default, each.name)
    }
    return [
        f"{name} {format_duration(value) if name in _LENGTHS else str(value).lower()}"
        for name, value in changed.items()
    ]


_LENGTHS = frozenset({"delay", "minimum_gap", "late_arrival", "default_grace"})


def _functions() -> str:
    families = (_family(title, entries) for title, entries in FAMILIES.items())
    return (
        f"{_WRITTEN}\n\n# Functions of expressions\n\n"
        "Null if any argument is null, unless the line says otherwise. If a function has no result for a row, the "
        "result is null and counts as a failure of its node.\n\n"
        f"{chr(10).join(families)}\n{TEXT}\n[All pages](README.md)\n"
    )


def _family(title: str, entries: Sequence[FunctionEntry]) -> str:
    lines = [_row(f"`{each.signature}`", each.help) for each in entries]
    return f"## {title}\n\n{table(('function', 'gives'), lines)}\n"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _index() -> str:
    nodes = [f"| [{kind}]({kind}.md) | {_first(docstring_of(NODES[kind]))} |" for kind in NODES]
    windows = [f"| [{kind}](window_{kind}.md) | {_first(docstring_of(WINDOWS[kind]))} |" for kind in WINDOWS]
    return "\n\n".join(
        [
            _WRITTEN,
            "# The operators",
            "Every page defines an operator, shows it in examples, and describes its output CTI. "
            "The examples are transcripts: tests run them with every cut into micro-batches. "
            "Codes like T19 are decisions of the temporal model.",
            table(("node", "description"), nodes),
            table(("windows", "description"), windows),
            "[Aggregates](aggregates.md) of windows. [Advance time](advance_time.md): what makes time advance, "
            "and what happens to late events. [Functions](functions.md) of expressions.\n",
        ]
    )


def _first(words: str) -> str:
    return words.split("\n\n", maxsplit=1)[0].replace("\n", " ")
