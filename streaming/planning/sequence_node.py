"""The typed form of a match_recognize node, from a checked graph."""

from streaming.definition.rows import row_fields
from streaming.definition.sequences.node import MatchRecognizeNode, SkipToFirst, SkipToLast
from streaming.definition.sequences.pattern import variables
from streaming.definition.sequences.pattern_text import parse_pattern
from streaming.definition.sequences.row_calls import RowsExpression
from streaming.definition.sequences.row_typing import PatternNames, typed_over_rows
from streaming.planning.checked import CheckedGraph, expression
from streaming.planning.columns import RowOrderBy
from streaming.planning.sequences import AfterMatch, SequenceSpec, SkipTarget
from streaming.temporal.ticks import parse_duration


def sequence_spec(node: MatchRecognizeNode, graph: CheckedGraph) -> SequenceSpec:
    """Return the spec of a node without errors."""
    reads = graph.schemas[node.input]
    pattern = parse_pattern(node.pattern)
    names = variables(pattern)
    subsets = {each.name: each.of for each in node.subsets}
    known = PatternNames(names, subsets, reads)
    within = None if node.within is None else parse_duration(node.within)
    order = [(expression(each.of, row_fields(reads)), each.descending) for each in node.order_by]
    return SequenceSpec(
        node=node.id,
        group_by=tuple(node.group_by),
        order_by=tuple(RowOrderBy(of, of.type, descending) for of, descending in order),
        pattern=pattern,
        members={
            **{name: frozenset((name,)) for name in names},
            **{name: frozenset(of) for name, of in subsets.items()},
        },
        define={each.name: _over_rows(each.of, known, in_measure=False) for each in node.define},
        measures={each.name: _over_rows(each.of, known, in_measure=True) for each in node.measures},
        rows=node.rows,
        after_match=_after_match(node),
        within=within,
        reach=within if node.reach is None else parse_duration(node.reach),
        grace=node.grace_ticks,
        span=node.lifetime == "span",
        running=node.emit == "running",
        max_rows=node.max_rows,
        reads=reads,
        fields=graph.schemas[node.id],
    )


def _over_rows(text: str, names: PatternNames, *, in_measure: bool) -> RowsExpression:
    result = typed_over_rows(text, names, in_measure=in_measure)
    if not isinstance(result, RowsExpression):
        raise TypeError(f"{text!r} has errors that check did not report: {result}")
    return result


def _after_match(node: MatchRecognizeNode) -> AfterMatch:
    match node.after_match:
        case SkipToFirst(first=variable):
            return SkipTarget(variable, from_end=False)
        case SkipToLast(last=variable):
            return SkipTarget(variable, from_end=True)
        case _:
            return node.after_match
