"""Reading of a text into a script."""

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
"""The largest number of reported faults: nobody reads more, and ten thousand commas would be ten thousand faults."""


def parse_sql(text: str) -> Script:
    """Read `text`; never raises, and reports all syntax errors at once, each with a span.

    With errors, `graph` is None, and `raw` holds the readable parts; unreadable fields are left out of nodes.
    `check` accepts `raw`, and reports nothing that depends on such a node. `faults` includes all BAD_SHAPE faults that
    other faults of the text do not cause, so those that `check` finds in `raw` need not be reported again.
    """
    lexed = lex(text)
    reader = Reader(lexed)
    sentences = take_statements(reader)
    _refuse_targets(reader, sentences)
    builder = NodeBuilder(reader, build_select)
    parts = [_build(builder, sentence) for sentence in sentences]
    resolved = resolve(builder.drafts)
    settings = read_settings(reader, sentences, resolved)
    functions = [each.function for each in sentences if each.function is not None]
    raw: dict[str, object] = {"version": 1, "name": _name(reader, sentences, resolved), "nodes": resolved.nodes}
    if functions:
        raw["functions"] = [each.fields.values for each in functions]
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
"""The drafts of a statement, and those of each of its steps."""


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
    """Report queries without a target if another one already goes to `out`, and give each a unique target.

    Otherwise the faults of one query would be reported at the place of the other.
    """
    nameless = [each for each in sentences if each.insert is not None and each.insert.target is None]
    targets = (each.insert.target for each in sentences if each.insert is not None)
    taken = any(each is not None and each.value == DEFAULT_TARGET for each in targets)
    for number, again in enumerate(nameless if taken else nameless[1:], start=2):
        extent = reader.tokens[again.first].extent
        remedy = "Write INSERT INTO and a name before this query."
        reader.problem(extent, f"This query has no target, but another one already goes to `{DEFAULT_TARGET}`.", remedy)
        assert again.insert is not None  # nosec B101 # for the type checker only
        again.insert = replace(again.insert, target=ValueAt(f"{DEFAULT_TARGET}_{number}", extent))


def _name(reader: Reader, sentences: list[StatementSyntax], resolved: ResolvedNodes) -> str:
    """Return the name of the graph: that of QUERY, else the id of the first output."""
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
        reader.problem(extent, "The text contains no query.", remedy)


def _places(text: str, sentences: list[StatementSyntax], resolved: ResolvedNodes, settings: TextSettings) -> TextPlaces:
    nodes: dict[str | None, dict[str, TextPlace]] = {}
    for name, places in resolved.places.items():
        nodes[name] = dict(places)
    for name, places in settings.places.items():
        nodes.setdefault(name, {}).update(places)
    named = [sentence.query for sentence in sentences if sentence.query is not None]
    whole = {"name": TextPlace(span(named[0].extent))} if named else {}
    for index, function in enumerate(each.function for each in sentences if each.function is not None):
        whole |= {f"functions[{index}].{path}": TextPlace(span(of)) for path, of in function.fields.places.items()}
        if function.body is not None:
            whole[f"functions[{index}].as"] = function.body
    if whole:
        nodes[None] = whole
    return TextPlaces(text, nodes)


def _faults(problems: list[TextProblem], shapes: tuple[Fault, ...], places: TextPlaces, text: str) -> tuple[Fault, ...]:
    """Return the problems and shape errors; with problems, only the shape errors of fields that are in the text."""
    first = sorted(dict.fromkeys(problems), key=lambda problem: problem.extent)[:MOST_FAULTS]
    faults = [problem.fault() for problem in first]
    for fault in shapes:
        node_places = places.nodes.get(fault.node, {})
        if not problems or (fault.field and fault.field in node_places):
            where = places.span_of(fault.node, fault.field, fault.at) or Span(start=0, end=len(text))
            faults.append(fault.model_copy(update={"span": where}))
    faults.sort(key=lambda fault: (fault.span.start, fault.span.end) if fault.span else (0, 0))
    return tuple(faults[:MOST_FAULTS])


def _comments_start(lexed: LexedText, index: int) -> int:
    """Return the start of the comments of a statement whose first token is at `index`.

    A comment on the last line of the previous statement belongs to that one, unless it extends to this statement.
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
    elif sentence.function is not None:
        kind = "function"
    elif sentence.steps and sentence.insert is None:
        kind = "steps"
    named = sentence.advance.input.value if sentence.advance and sentence.advance.input else None
    return Statement(
        kind,
        Span(start=first, end=last),
        Span(start=_comments_start(lexed, sentence.first), end=last),
        resolved.made(*built[0]),
        tuple((span(extent), resolved.made(*part)) for extent, part in built[1]),
        resolved.input_of(named) if named else None,
    )
