"""The explanation of match_recognize: what it searches, what holds its CTI, and what it keeps (T34, T37)."""

from collections.abc import Iterator
from typing import Final

from streaming.definition.sequences.node import MatchRecognizeNode, SkipToFirst, SkipToLast
from streaming.definition.sequences.pattern import absences, excludes
from streaming.definition.sequences.pattern_text import parse_pattern
from streaming.definition.sequences.waiting import extending_variables
from streaming.planning.explain.explain_facts import ANY_LENGTH, POINT, Facts, LifetimeBound
from streaming.planning.explain.held import HoldBound, moved_by
from streaming.planning.explain.lifetimes import Before, Streams
from streaming.planning.explain.model import ExplainedState
from streaming.planning.explain.words import code, listed, spoken
from streaming.temporal.ticks import NO_TICKS, Ticks, parse_duration

_ROWS: Final = {
    "one": "one row for each match",
    "all": "all rows of each match",
    "all_omit_empty": "all rows of each match, but no empty matches",
    "all_with_unmatched": "all rows, those of no match with null measures",
}


def of_sequence(node: MatchRecognizeNode, facts: Facts) -> str:
    """Describe a search."""
    del facts
    groups = f" of each {listed(node.group_by)}" if node.group_by else ""
    within = "" if node.within is None else f" within {spoken(parse_duration(node.within))}"
    return f"Searches the rows{groups}, in order, for {code(node.pattern)}{within}; emits {_ROWS[node.rows]}."


def details(node: MatchRecognizeNode) -> list[str]:
    """Return further sentences: conditions, when a match is final, where the search continues."""
    pattern = parse_pattern(node.pattern)
    found = [f"{each.name} takes a row for which {code(each.of)} is true." for each in node.define]
    found.append("A match leaves at the first CTI at which no later row can change it.")
    found += _waiting(node)
    for absent in absences(pattern):
        until = spoken(absent.duration)
        found.append(f"ABSENT {absent.variable} is certain once the CTI is {until} after the last row of the match.")
    found.append(f"After a match the search continues {_continues(node)}.")
    if node.grace_ticks:
        found.append(f"Every decision waits for {spoken(node.grace_ticks)} more of the CTI (grace).")
    if node.emit == "running":
        found.append("Rows also leave before they are final, and are retracted if they no longer hold.")
    if excludes(pattern) and node.rows != "one":
        found.append("Rows between {- and -} are matched but not emitted.")
    return found


def _waiting(node: MatchRecognizeNode) -> Iterator[str]:
    """Yield the sentence that a complete match waits, for which variables, and how long (T34)."""
    names = extending_variables(parse_pattern(node.pattern))
    if not names:
        return
    waits = f"A complete match waits, because {listed(names, 'or')} may take more rows of its group"
    if node.within is None:
        yield f"{waits}: without 'within', for any length of time."
    else:
        yield f"{waits}: at most until the CTI is {spoken(parse_duration(node.within))} after its first row."


def _continues(node: MatchRecognizeNode) -> str:
    match node.after_match:
        case SkipToFirst(first=name):
            return f"at the first row of {name}"
        case SkipToLast(last=name):
            return f"at the last row of {name}"
        case "next_row":
            return "at the row after its first"
        case _:
            return "after its last row"


def life(node: MatchRecognizeNode, before: Before, streams: Streams) -> LifetimeBound:
    """Return the lifetime of results: points, unless a match lives from its first row on."""
    del before, streams
    if node.lifetime == "last_row":
        return POINT
    if node.within is None:
        return ANY_LENGTH
    longest = max((each.duration for each in absences(parse_pattern(node.pattern))), default=NO_TICKS)
    return LifetimeBound(Ticks(parse_duration(node.within) + longest))


def hold(node: MatchRecognizeNode, facts: Facts) -> HoldBound:
    """Return the delay: at most that of the oldest attempt that is not decided."""
    del facts
    grace = node.grace_ticks
    formula = f"min({moved_by('c', Ticks(-grace))}, start of the earliest result that known rows can still give)"
    if node.within is None:
        return HoldBound.unbounded(formula, "an attempt without 'within' may wait for any length of time", grace)
    longest = max((each.duration for each in absences(parse_pattern(node.pattern))), default=NO_TICKS)
    reach = parse_duration(node.within if node.reach is None else node.reach)
    return HoldBound(formula, grace, Ticks(grace + parse_duration(node.within) + longest + reach))


def state(node: MatchRecognizeNode, facts: Facts) -> Iterator[ExplainedState]:
    """Yield the rows of each group, and the progress of its search."""
    del facts
    group = f"group ({', '.join(map(code, node.group_by))})" if node.group_by else "node"
    if node.within is None:
        until, formula = "the attempts that may use them are decided; without 'within' that may never happen", "rows"
    else:
        until = f"they are {spoken(parse_duration(node.within))} old and no attempt may use them"
        formula = "rows that start at or after c - grace - within - the longest FOR - reach"
    yield ExplainedState(what="rows", per=group, until=until, formula=formula, bounded_by="cti")
    if node.numbers_matches:
        yield ExplainedState(
            what="the number of matches so far",
            per=group,
            until="the end of the run",
            formula="groups ever seen",
            bounded_by="keys",
        )
