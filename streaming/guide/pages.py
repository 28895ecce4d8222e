"""The pages of the guide: one for each kind of node and of windows, and those on aggregates and on time."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from streaming.definition.advance import in_force
from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.expressions.functions import FUNCTIONS
from streaming.definition.graph import Aggregate, OutputNode
from streaming.definition.presets import PRESETS, Preset
from streaming.definition.sql.printing.graphs import print_sql
from streaming.definition.sql.printing.units import default_name
from streaming.definition.streams import AdvanceTimeSettings, GenerateSettings
from streaming.guide.examples import Example, examples_of
from streaming.guide.fields import fields_table, table
from streaming.guide.kinds import NODES, WINDOWS, meaning_of, said_of
from streaming.guide.lines import sections_of
from streaming.guide.picture import draw
from streaming.guide.story import tell
from streaming.planning.explain.cti_rules import NODE_RULES, CtiRule
from streaming.planning.explain.windows.registry import WINDOW_KINDS
from streaming.temporal.settings import AdvanceTime, Generate, Late
from streaming.temporal.ticks import NO_TICKS, Ticks, format_duration
from streaming.wire.case import Case

_WRITTEN = "<!-- Written by `python -m streaming.guide`; edit the code or the examples, not this page. -->"
EXAMPLES = "examples.json"
"""What the time simulator opens: of each example its query as SQL, its streams, its rows and how they end."""
READING = (
    "Read a picture from top to bottom: rows stand in the order in which they arrived, each at its own time. "
    "The violet staircase is the CTI that each row met: all time to its left is final."
)


def pages() -> Iterator[tuple[str, str]]:
    """Every file of the guide: its name and its text, the same whenever it is written."""
    yield "README.md", _index()
    for kind in NODES:
        parts = [_meaning(kind), _node_fields(kind), _time(NODE_RULES[kind]), _reference(kind)]
        yield from _page(kind, f"`{kind}`", parts)
    for kind in WINDOWS:
        parts = [_meaning(kind), _window_fields(kind), _time(WINDOW_KINDS[WINDOWS[kind]].rule), _reference(kind)]
        yield from _page(f"window_{kind}", f"`{kind}` windows", parts)
    yield from _page("aggregates", "Aggregates", [_aggregates()])
    yield from _page("advance_time", "Advance time", _advance_time())
    yield "functions.md", _functions()
    yield EXAMPLES, _opened_examples()


def _page(name: str, title: str, parts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A page and its pictures; its examples stand behind the first part."""
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
    """The picture of what the reference does with `example`."""
    case = example.case
    return draw(example.caption.replace("`", ""), sections_of(tell(case), _titles(case)))


def _titles(case: Case) -> Mapping[str, str]:
    by_node = in_force(case.graph, case.streams, case.advance)
    streams = {node.stream: by_node[node.id] for node in case.graph.nodes if node.kind == "input"}
    outputs = {node.id: f"{node.id}: results" for node in case.graph.nodes if isinstance(node, OutputNode)}
    return {name: _stream_title(name, case.streams[name].shape, each) for name, each in streams.items()} | outputs


def _stream_title(name: str, shape: str, settings: AdvanceTimeSettings) -> str:
    said = [f"{name}: {shape}s"]
    if settings.preset is not None:
        said.append(settings.preset)
    if settings.generate is not None:
        every = settings.generate.every
        said.append("a CTI after every event" if every == 1 else f"a CTI every {every}{_events(every)}")
    if settings.import_from is not None:
        said.append(f"CTIs from {settings.import_from}")
    if settings.late is not None:
        said.append(f"late: {settings.late}")
    return ", ".join(said)


def _events(every: int | str) -> str:
    return " events" if isinstance(every, int) else ""


def _example(example: Example) -> str:
    name = example.transcript.name
    sql = f"As SQL:\n\n```sql\n{as_sql(example.case).rstrip()}\n```"
    text = f"<details><summary>The example <code>{name}</code></summary>\n\n```yaml\n{example.text}\n```\n\n</details>"
    return f"{example.caption}\n\n![Timeline of the example {name}]({name}.svg)\n\n{sql}\n\n{text}"


def _opened_examples() -> str:
    pages = (*NODES, *(f"window_{kind}" for kind in WINDOWS), "aggregates", "advance_time")
    found = {each.transcript.name: _opened(page, each) for page in pages for each in examples_of(page)}
    return f"{json.dumps(found, ensure_ascii=False, indent=1)}\n"


def _opened(page: str, example: Example) -> dict[str, Any]:
    case = example.case
    said = example.transcript.model_dump(mode="json", exclude_unset=True)
    streams = {name: stream.model_dump(mode="json", exclude_unset=True) for name, stream in case.streams.items()}
    sample = {"rows": said["input"], "end": str(case.end)}
    return {"page": page, "caption": example.caption, "text": as_sql(case), "streams": streams, **sample}


def as_sql(case: Case) -> str:
    """The query of an example as text, with the settings of time that its inputs have, their streams' too."""
    graph = case.graph.model_copy(update={"name": default_name(case.graph)})
    return print_sql(graph, advance=in_force(graph, case.streams, case.advance))


def _meaning(kind: str) -> str:
    model = NODES[kind] if kind in NODES else WINDOWS[kind]
    return said_of(model)


def _reference(kind: str) -> str:
    said: dict[str, list[str]] = {}
    for place, words in meaning_of(kind):
        said.setdefault(place, []).append(words)
    parts = ["\n\n".join((f"In `{place}`:", *(_quoted(words) for words in each))) for place, each in said.items()]
    return "## How the reference says it\n\n" + "\n\n".join(parts)


def _quoted(words: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in words.split("\n"))


def _node_fields(kind: str) -> str:
    more = ""
    if kind in ("window", "top_k"):
        links = ", ".join(f"[{name}](window_{name}.md)" for name in WINDOWS)
        more = f"\n\nKinds of windows: {links}. Aggregates: [their page](aggregates.md)."
    return f"## Fields\n\nBeside `id` and `kind`:\n\n{fields_table(NODES[kind])}{more}"


def _window_fields(kind: str) -> str:
    node = "They stand under `window` of a [window](window.md) or a [top_k](top_k.md) node."
    return f"## Fields\n\n{node} Beside `kind`:\n\n{fields_table(WINDOWS[kind])}"


def _time(rule: CtiRule) -> str:
    return f"## The CTI that leaves\n\nWhen the CTI `c` comes in: **{rule.out}**.\n\n{rule.why}"


def _aggregates() -> str:
    lines = [_row(f"`{each.signature}`", each.help) for each in AGGREGATES.values()]
    return (
        f"{said_of(Aggregate)}\n\n{table(('aggregate', 'gives'), lines)}\n\n"
        "Null values do not count, except for `count` without `of`. Over no values the result is null, but 0 for "
        f"counts and an empty array for lists.\n\n## Fields\n\n{fields_table(Aggregate)}"
    )


def _advance_time() -> list[str]:
    presets = [_row(f"`{preset.form(name)}`", _stands_for(preset)) for name, preset in PRESETS.items()]
    return [
        said_of(AdvanceTimeSettings),
        f"## Fields\n\n{fields_table(AdvanceTimeSettings)}",
        f"### `generate`\n\n{said_of(GenerateSettings)}\n\n{fields_table(GenerateSettings)}",
        f"### Presets\n\n{table(('preset', 'stands for, where the lengths are 1us, 2us ...'), presets)}",
    ]


def _stands_for(preset: Preset) -> str:
    """The settings of a preset whose lengths are 1, 2 and so on, as far as they are not the default."""
    lengths = iter(range(1, 10))
    given = [Late.SHIFT if kind == "policy" else Ticks(next(lengths)) for kind in preset.parameters.values()]
    settings = preset.settings(*given)
    said = _changed(settings.generate, Generate(NO_TICKS)) if settings.generate else []
    plain = replace(settings, generate=None)
    return ", ".join([*said, f"late {settings.late}", *_changed(plain, AdvanceTime(late=settings.late))])


def _changed(settings: Any, default: Any) -> list[str]:
    """The settings that are not as `default` has them: lengths as durations, others as they are."""
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
    lines = [_row(f"`{each.signature}`", each.help) for each in FUNCTIONS.values()]
    return (
        f"{_WRITTEN}\n\n# Functions of expressions\n\nNull if any argument is null, unless the line says otherwise.\n\n"
        f"{table(('function', 'gives'), lines)}\n\n[All pages](README.md)\n"
    )


def _row(*cells: str) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _index() -> str:
    nodes = [f"| [{kind}]({kind}.md) | {_first(said_of(NODES[kind]))} |" for kind in NODES]
    windows = [f"| [{kind}](window_{kind}.md) | {_first(said_of(WINDOWS[kind]))} |" for kind in WINDOWS]
    return "\n\n".join(
        [
            _WRITTEN,
            "# The operators",
            "Every page says what an operator means, shows it at work, and says which CTI leaves it. "
            "The examples are transcripts: tests run them with every cut into micro-batches. "
            "T19 and the like are decisions of the temporal model.",
            table(("node", "what it does"), nodes),
            table(("windows", "what they are"), windows),
            "[Aggregates](aggregates.md) of windows. [Advance time](advance_time.md): what makes time move, "
            "and what becomes of late events. [Functions](functions.md) of expressions.\n",
        ]
    )


def _first(words: str) -> str:
    return words.split("\n\n", maxsplit=1)[0].replace("\n", " ")
