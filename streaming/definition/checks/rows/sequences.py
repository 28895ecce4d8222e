"""Checks of match_recognize nodes: the pattern, its conditions and measures, lengths, and the state that they need."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from streaming.definition.checks.findings import CheckFindings, expression_fault, reserved_starts, sentence, sound
from streaming.definition.checks.window_sizes import check_length, check_row_grace
from streaming.definition.counts import counted
from streaming.definition.expressions.parse import parse_over_rows
from streaming.definition.expressions.problems import ExpressionError, ExpressionFault
from streaming.definition.expressions.tree import fields_used
from streaming.definition.faults import Fault, FaultCode, error, nearest, warning
from streaming.definition.payload.types import BOOLEAN, Fields, Null, Struct, Type, is_ordered
from streaming.definition.rows import row_fields
from streaming.definition.sequences.node import MatchRecognizeNode, SkipToFirst, SkipToLast
from streaming.definition.sequences.pattern import Pattern, absences, excludes, takes_rows, variables, wrong_absence
from streaming.definition.sequences.pattern_text import PatternTextError, parse_pattern
from streaming.definition.sequences.row_calls import RowsExpression
from streaming.definition.sequences.row_typing import PatternNames, typed_over_rows
from streaming.definition.sequences.waiting import extending_variables
from streaming.temporal.ticks import parse_duration

_ABSENT_REMEDIES = {
    "beginning": (
        "nothing is certain to be taken before it",
        "Write a variable that takes a row before it. For absence before a row, use an anti join.",
    ),
    "middle": (
        "something can follow it",
        "Move it to the end. Between two variables nothing else can occur, so no absence is needed there.",
    ),
    "repeated": ("it would be repeated", "Write it once, at the end of the pattern."),
}


def check_match_recognize(node: MatchRecognizeNode, findings: CheckFindings) -> Fields | None:
    """Check a match_recognize node; its fields are the groups or the input's fields, then the measures."""
    fields = findings.schemas.get(node.input)
    groups = findings.groups(node.id, node.group_by, fields)
    findings.names(node.group_by, node.id, "group_by", existing=frozenset(node.group_by))
    findings.faults.extend(_check_lengths(node))
    findings.faults.extend(_check_names(node, fields))
    check_row_order(node, fields, findings)
    pattern = _read_pattern(node, findings)
    if pattern is None:
        return None
    findings.faults.extend(_check_pattern(node, pattern))
    expressions = _SequenceExpressions(node, pattern, fields, findings)
    expressions.check()
    findings.faults.extend(_check_state(node, expressions))
    measures = expressions.measured
    leaving = groups if node.rows == "one" else {} if fields is None else dict(fields)
    names = [*leaving, *(each.name for each in node.measures)]
    findings.names(names, node.id, "measures", existing=frozenset(leaving))
    return None if fields is None else sound({**leaving, **measures})


def check_row_order(node: MatchRecognizeNode, fields: Fields | None, findings: CheckFindings) -> None:
    """Check the expressions that order rows with equal starts (T27)."""
    for index, each in enumerate(node.order_by):
        path = f"order_by[{index}].of"
        of = findings.type_of(each.of, None if fields is None else row_fields(fields), node.id, path)
        if of is not None and not is_ordered(of):
            message = f"'order_by' needs values that can be ordered; this expression is of type {of}."
            remedy = "Order by a number, a text, a boolean or a timestamp."
            findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, path)


def _read_pattern(node: MatchRecognizeNode, findings: CheckFindings) -> Pattern | None:
    try:
        return parse_pattern(node.pattern)
    except PatternTextError as wrong:
        found = error(FaultCode.BAD_PATTERN, f"{wrong.message}.", sentence(wrong.remedy), node=node.id, field="pattern")
        findings.faults.append(found.model_copy(update={"at": wrong.at}))
        return None


def _check_lengths(node: MatchRecognizeNode) -> Iterator[Fault]:
    for path, value in (("within", node.within), ("reach", node.reach)):
        if value is not None:
            yield from check_length(parse_duration(value), f"'{path}'", node.id, path)
    if node.grace is not None:
        yield from check_row_grace(parse_duration(node.grace), node.id)
    if node.lifetime == "span" and node.rows != "one":
        message = "'lifetime: span' gives each match one lifetime, but with this 'rows' a match has several rows."
        remedy = "Set 'rows: one', or leave 'lifetime' out."
        yield error(FaultCode.CONFLICTING_ARGUMENTS, message, remedy, node=node.id, field="lifetime")


def _check_names(node: MatchRecognizeNode, fields: Fields | None) -> Iterator[Fault]:
    for path, names in (("define", node.define), ("subsets", node.subsets)):
        for name, count in Counter(each.name for each in names).items():
            if count > 1:
                message = f"{name!r} is defined {counted(count, 'time')}."
                yield error(FaultCode.DUPLICATE_NAME, message, "Define it once.", node=node.id, field=path)
    yield from reserved_starts(node.id, fields, (each.name for each in node.measures), "measures")


def _check_pattern(node: MatchRecognizeNode, pattern: Pattern) -> Iterator[Fault]:
    wrong = wrong_absence(pattern)
    if wrong is not None:
        absent, place = wrong
        why, remedy = _ABSENT_REMEDIES[place]
        message = f"ABSENT {absent.variable} is only possible at the end of a pattern, but here {why}."
        found = error(FaultCode.BAD_PATTERN, message, remedy, node=node.id, field="pattern")
        yield found.model_copy(update={"at": absent.at})
    for absent in absences(pattern):
        yield from check_length(absent.duration, f"The duration of ABSENT {absent.variable}", node.id, "pattern")
    yield from _check_mentions(node, variables(pattern))
    if excludes(pattern) and node.rows == "all_with_unmatched":
        message = "'{- -}' leaves matched rows out, and 'rows: all_with_unmatched' emits every row."
        remedy = "Write the part without '{- -}', or set 'rows: all'."
        yield error(FaultCode.BAD_PATTERN, message, remedy, node=node.id, field="pattern")
    if excludes(pattern) and node.rows == "one":
        message = "'{- -}' leaves rows of a match out, but 'rows: one' emits one row per match anyway."
        remedy = "Remove '{-' and '-}', or set 'rows: all'."
        yield warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field="pattern")
    if not takes_rows(pattern):
        message = "The pattern never takes a row, so every match is empty."
        remedy = "Write variables, such as A B+ C."
        yield warning(FaultCode.NO_EFFECT, message, remedy, node=node.id, field="pattern")


def _check_mentions(node: MatchRecognizeNode, names: tuple[str, ...]) -> Iterator[Fault]:
    """Yield an error for each name of a variable that the pattern does not contain."""
    subsets = {each.name for each in node.subsets}
    mentioned = [(f"define[{index}].name", each.name, set(names)) for index, each in enumerate(node.define)]
    for index, each in enumerate(node.subsets):
        mentioned += [(f"subsets[{index}].of[{place}]", name, set(names)) for place, name in enumerate(each.of)]
        if each.name in names:
            message = f"{each.name!r} is a variable of the pattern and a subset."
            path = f"subsets[{index}].name"
            yield error(FaultCode.DUPLICATE_NAME, message, "Choose another name.", node=node.id, field=path)
    match node.after_match:
        case SkipToFirst(first=name):
            mentioned.append(("after_match.first", name, {*names, *subsets}))
        case SkipToLast(last=name):
            mentioned.append(("after_match.last", name, {*names, *subsets}))
    for path, name, known in mentioned:
        if name not in known:
            message = f"The pattern has no variable {name!r}."
            remedy = nearest(name, known, f"Its variables are: {', '.join(names) or 'none'}.")
            yield error(FaultCode.BAD_PATTERN, message, remedy, node=node.id, field=path)


@dataclass
class _SequenceExpressions:
    """The expressions of one node: `defined` by variable, `measured` the types of the measures."""

    node: MatchRecognizeNode
    pattern: Pattern
    fields: Fields | None
    findings: CheckFindings

    def check(self) -> None:
        """Record the faults of all expressions."""
        for path, text, in_measure in self._texts:
            read = self._read[path]
            if isinstance(read, tuple):
                faults = (expression_fault(fault, self.node.id, path) for fault in read)
                self.findings.faults.extend(faults)
            elif read is not None and not in_measure and read.type != BOOLEAN and not isinstance(read.type, Null):
                message = f"A condition must be true or false; this expression is of type {read.type}."
                remedy = "Compare it with a value."
                self.findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, self.node.id, path)
            self._check_ambiguous(path, text)

    @cached_property
    def _names(self) -> PatternNames:
        subsets = {each.name: each.of for each in self.node.subsets}
        return PatternNames(variables(self.pattern), subsets, self.fields or {})

    @property
    def _texts(self) -> list[tuple[str, str, bool]]:
        defined = [(f"define[{index}].of", each.of, False) for index, each in enumerate(self.node.define)]
        return [*defined, *((f"measures[{index}].of", each.of, True) for index, each in enumerate(self.node.measures))]

    @cached_property
    def _read(self) -> Mapping[str, RowsExpression | tuple[ExpressionFault, ...] | None]:
        """Return each expression by its path, or its faults; None if it parses and the fields are unknown."""
        return {path: self._expression(text, in_measure) for path, text, in_measure in self._texts}

    def _expression(self, text: str, in_measure: bool) -> RowsExpression | tuple[ExpressionFault, ...] | None:
        if self.fields is None:
            try:
                parse_over_rows(text)
            except ExpressionError as wrong:
                return (wrong.fault,)
            return None
        return typed_over_rows(text, self._names, in_measure=in_measure)

    @property
    def measured(self) -> dict[str, Type | None]:
        """Return the type of each measure; None where it is unknown."""
        reads = [self._read[f"measures[{index}].of"] for index in range(len(self.node.measures))]
        types = [read.type if isinstance(read, RowsExpression) else None for read in reads]
        return {each.name: of for each, of in zip(self.node.measures, types, strict=True)}

    @property
    def valid(self) -> dict[str, RowsExpression]:
        """Return the expressions without faults, by their path."""
        return {path: read for path, read in self._read.items() if isinstance(read, RowsExpression)}

    def _check_ambiguous(self, path: str, text: str) -> None:
        """Warn where `A.x` is the field of a variable although a struct has the same name."""
        structs = [name for name, of in (self.fields or {}).items() if isinstance(of, Struct)]
        both = [name for name in structs if self._names.is_variable(name)]
        try:
            used = fields_used(parse_over_rows(text)) if both else frozenset[str]()
        except ExpressionError:
            return
        for name in (each for each in both if each in used):
            message = f"{name!r} is a variable of the pattern and a struct; here '{name}.' refers to the variable."
            remedy = "Rename the variable if you mean the struct."
            self.findings.warn(FaultCode.DUPLICATE_NAME, message, remedy, self.node.id, path)


def _check_state(node: MatchRecognizeNode, expressions: _SequenceExpressions) -> Iterator[Fault]:
    """Yield the warnings about state that nothing bounds (T37)."""
    if node.within is None:
        waiting = " or ".join(", ".join(extending_variables(expressions.pattern)).rsplit(", ", 1))
        message = (
            f"Without 'within' a complete match can wait forever, because {waiting} may take more rows of its group."
            if waiting
            else "Without 'within' an attempt can wait for its next row forever, and its rows stay in memory."
        )
        remedy = "Set 'within' to the longest time from the first to the last row of a match, such as '1h'."
        yield warning(FaultCode.UNBOUNDED_STATE, message, remedy, node=node.id, field="within")
    back = [path for path, each in expressions.valid.items() if each.furthest_before > 0]
    if back and node.within is None and node.reach is None:
        message = "PREV keeps the last rows of every group forever."
        remedy = "Set 'reach' to the time after which an earlier row no longer matters, such as '1h'."
        yield warning(FaultCode.UNBOUNDED_STATE, message, remedy, node=node.id, field=back[0])
    numbered = [path for path, each in expressions.valid.items() if each.numbers_matches]
    if numbered:
        message = "MATCH_NUMBER() keeps a number for every group forever."
        remedy = "Leave it out if the number of groups grows without limit."
        yield warning(FaultCode.UNBOUNDED_STATE, message, remedy, node=node.id, field=numbered[0])
