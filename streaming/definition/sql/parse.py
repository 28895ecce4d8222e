"""A text into a script."""

from dataclasses import replace
from typing import Final

from streaming.definition.faults import Fault
from streaming.definition.load import load_graph
from streaming.definition.sql.building.nodes import DEFAULT_TARGET, NodeBuilder
from streaming.definition.sql.building.resolve import ResolvedNodes, resolve
from streaming.definition.sql.building.selects import build_select
from streaming.definition.sql.building.settings import TextSettings, read_settings
from streaming.definition.sql.places import TextPlace, TextPlaces
from streaming.definition.sql.problems import TextProblem, span
from streaming.definition.sql.reading.reader import Reader, ValueAt
from streaming.definition.sql.reading.statements import take_statements
from streaming.definition.sql.reading.tree import StatementSyntax
from streaming.definition.sql.script import NamedField, Script, Span, Statement, StatementKind
from streaming.definition.tokens import Extent, LexedText, lex

_DEFAULT_NAME: Final = "query"
MOST_FAULTS: Final = 200
"""More are not told at once: nobody reads them, and ten thousand commas would be ten thousand faults."""


def parse_sql(text: str) -> Script:
    """Read `text`; never raises, whatever it holds, and tells every fault of form at once, each with a span.

    `graph` is None where there are such faults; `raw` then holds what could be read, with holes in nodes that could
    not: `check` takes it, and says nothing of what hangs on such a node. All BAD_SHAPE faults that are not caused by
    other faults of the text are among `faults`, so those that `check` finds in `raw` need not be told again.
    """
    lexed = lex(text)
    reader = Reader(lexed)
    sentences = take_statements(reader)
    _refuse_targets(reader, sentences)
    builder = NodeBuilder(reader, build_select)
    parts = [_build(builder, sentence) for sentence in sentences]
    resolved = resolve(builder.drafts)
    settings = read_settings(reader, sentences, resolved)
    raw: dict[str, object] = {"version": 1, "name": _name(reader, sentences, resolved), "nodes": resolved.nodes}
    if not resolved.nodes:
        _refuse_emptiness(reader, lexed)
    places = _places(text, sentences, resolved, settings)
    loaded = load_graph(raw)
    faults = _faults(reader.problems, (*loaded.faults, *settings.faults), places, text)
    statements = tuple(_statement(lexed, each, part, resolved) for each, part in zip(sentences, parts, strict=True))
    graph = None if faults else loaded.graph
    qualified = tuple(NamedField(node, use.source, use.name, span(use.extent)) for node, use in resolved.used)
    return Script(text, raw, graph, settings.advance, settings.event_times, faults, places, statements, qualified)


Built = tuple[tuple[int, int], tuple[tuple[Extent, tuple[int, int]], ...]]
"""Which drafts a statement made, and which each of its steps."""


def _build(builder: NodeBuilder, sentence: StatementSyntax) -> Built:
    order = builder.drafts.order
    first = len(order)
    steps = []
    for step in sentence.steps:
        before = len(order)
        builder.step(step)
        steps.append((step.extent, (before, len(order))))
    if sentence.insert is not None:
        builder.insert(sentence.insert, builder.reader.tokens[sentence.first].extent)
    return (first, len(order)), tuple(steps)


def _refuse_targets(reader: Reader, sentences: list[StatementSyntax]) -> None:
    """Tell of queries without a target beside one that goes to `out`: they are read on under names of their own.

    Without these the faults of one query would be told at the place of the other.
    """
    nameless = [each for each in sentences if each.insert is not None and each.insert.target is None]
    targets = (each.insert.target for each in sentences if each.insert is not None)
    taken = any(each is not None and each.value == DEFAULT_TARGET for each in targets)
    for number, again in enumerate(nameless if taken else nameless[1:], start=2):
        extent = reader.tokens[again.first].extent
        remedy = "Write INSERT INTO and a name before it."
        reader.problem(extent, f"This query has no target, and another one goes to `{DEFAULT_TARGET}`.", remedy)
        assert again.insert is not None  # nosec B101 # tells the type checker what is so; nothing depends on it
        again.insert = replace(again.insert, target=ValueAt(f"{DEFAULT_TARGET}_{number}", extent))


def _name(reader: Reader, sentences: list[StatementSyntax], resolved: ResolvedNodes) -> str:
    """The name of the graph: that of QUERY, else the id of the first output."""
    named = [sentence.query for sentence in sentences if sentence.query is not None]
    for again in named[1:]:
        reader.problem(again.extent, "The query is named twice.", "Leave one QUERY statement out.")
    if named:
        return named[0].value
    outputs = (str(node["id"]) for node in resolved.nodes if node.get("kind") == "output")
    return next(outputs, _DEFAULT_NAME)


def _refuse_emptiness(reader: Reader, lexed: LexedText) -> None:
    if not reader.problems:
        extent = (lexed.tokens[0].start, lexed.tokens[-2].end) if len(lexed.tokens) > 1 else (0, len(lexed.text))
        remedy = "Write for example INSERT INTO out SELECT STREAM * FROM stream;"
        reader.problem(extent, "The text holds no query.", remedy)


def _places(text: str, sentences: list[StatementSyntax], resolved: ResolvedNodes, settings: TextSettings) -> TextPlaces:
    nodes: dict[str | None, dict[str, TextPlace]] = {}
    for name, places in resolved.places.items():
        nodes[name] = dict(places)
    for name, places in settings.places.items():
        nodes.setdefault(name, {}).update(places)
    named = [sentence.query for sentence in sentences if sentence.query is not None]
    if named:
        nodes[None] = {"name": TextPlace(span(named[0].extent))}
    return TextPlaces(text, nodes)


def _faults(problems: list[TextProblem], shapes: tuple[Fault, ...], places: TextPlaces, text: str) -> tuple[Fault, ...]:
    """The problems, and faults of shape: where there are problems only those of something that stands in the text."""
    first = sorted(dict.fromkeys(problems), key=lambda problem: problem.extent)[:MOST_FAULTS]
    found = [problem.fault() for problem in first]
    for fault in shapes:
        known = places.nodes.get(fault.node, {})
        if not problems or (fault.field and fault.field in known):
            where = places.span_of(fault.node, fault.field, fault.at) or Span(start=0, end=len(text))
            found.append(fault.model_copy(update={"span": where}))
    found.sort(key=lambda fault: (fault.span.start, fault.span.end) if fault.span else (0, 0))
    return tuple(found[:MOST_FAULTS])


def _commented(lexed: LexedText, index: int) -> int:
    """Where the comments about a statement begin whose first token that is.

    What stands on the line on which the statement before it ends belongs to that one, unless it reaches to this one.
    """
    before, first = lexed.tokens[index - 1].end if index else 0, lexed.tokens[index].start
    for begin, end in lexed.comments_before(index):
        is_about_last = before > 0 and "\n" not in lexed.text[before:begin]
        if not is_about_last or end == first:
            return begin
        before = 0
    return first


def _statement(lexed: LexedText, sentence: StatementSyntax, built: Built, resolved: ResolvedNodes) -> Statement:
    first = lexed.tokens[sentence.first].start
    after = lexed.tokens[sentence.last]
    last = after.end if after.word == ";" else lexed.tokens[sentence.last - 1].end
    kind: StatementKind = "insert"
    if sentence.advance is not None:
        kind = "advance"
    elif sentence.query is not None:
        kind = "query"
    elif sentence.steps and sentence.insert is None:
        kind = "steps"
    named = sentence.advance.input.value if sentence.advance and sentence.advance.input else None
    return Statement(
        kind,
        Span(start=first, end=last),
        Span(start=_commented(lexed, sentence.first), end=last),
        resolved.made(*built[0]),
        tuple((span(extent), resolved.made(*part)) for extent, part in built[1]),
        resolved.input_of(named) if named else None,
    )
