"""The user's streams that a template can read, and the fields that can replace its own: the checker decides."""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from streaming.definition.faults import Severity
from streaming.definition.sql.check import check_sql
from streaming.definition.streams.stream import StreamDefinition
from streaming.templates.catalogue import QueryTemplate
from streaming.temporal.events import Shape

_KINDS: Final = ("long", "double", "decimal(18, 4)", "string", "boolean", "timestamp")
_NUMBERS: Final = frozenset({"long", "double", "decimal(18, 4)"})
_LASTING: Final = (Shape.INTERVAL, Shape.EDGE)
_SHAPES: Final = {Shape.POINT: "points", Shape.INTERVAL: "intervals", Shape.EDGE: "edges"}
_SIMILAR: Final = 0.8
"""Two names that are at least so similar (at most 1) are guessed to mean the same."""


@dataclass(frozen=True)
class FieldFit:
    """The fields that can replace one field of a template: all `offered`, and the guess `proposed` with the reason."""

    field: str
    type: str
    offered: list[str]
    proposed: str
    reason: str


@dataclass(frozen=True)
class StreamFit:
    """A stream that may replace an input of a template: it can if nothing is `missing` (sentences).

    `note` describes differences from the template, empty without any.
    """

    stream: str
    fields: list[FieldFit]
    missing: list[str]
    note: str = ""


@dataclass(frozen=True)
class InputFit:
    """An input of a template: `needs` in words, and each existing stream. `proposed` is the best of them, or None."""

    input: str
    needs: str
    streams: list[StreamFit]
    proposed: str | None


def fits(template: QueryTemplate, streams: Mapping[str, StreamDefinition]) -> list[InputFit]:
    """Return how `streams`, by name, fit the inputs of `template`; a different one is proposed for each input."""
    asking = _Asking(template)
    found: list[InputFit] = []
    for name in template.streams:
        judged = [asking.fit(name, each, streams[each]) for each in sorted(streams)]
        taken = {each.proposed for each in found}
        free = [(fit, rank) for fit, rank in judged if not fit.missing and fit.stream not in taken]
        best = max(free, key=lambda each: each[1], default=None)
        needs = asking.needs(name)
        found.append(InputFit(name, needs, [fit for fit, _ in judged], best[0].stream if best else None))
    return found


@dataclass
class _Asking:
    """The checker's answers for a template with other fields; each question is asked once."""

    template: QueryTemplate
    answers: dict[tuple[str, str, str | None], bool] = field(default_factory=dict)

    def needs(self, name: str) -> str:
        """Describe the fields that an input needs."""
        fields = [f"{each} ({self._kind(name, each)})" for each in self._read(name)]
        return f"{_shape_words(self.template.streams[name].shape)} with {', '.join(fields)}"

    def fit(self, name: str, stream: str, definition: StreamDefinition) -> tuple[StreamFit, int]:
        """Return how a stream fits an input, and how well."""
        own, read = self.template.streams[name], self._read(name)
        offered = {each: self._offered(name, each, definition) for each in read}
        lacking = [each for each in read if not offered[each]]
        missing = [
            *_other_shape(own.shape, definition.shape),
            *(f"It has no field that could be {each} ({self._kind(name, each)})." for each in lacking),
        ]
        if missing:
            return StreamFit(stream, [], missing), 0
        note = _longer(definition.shape) if own.shape is Shape.POINT and definition.shape in _LASTING else ""
        guesses = _guessed({each: (own.fields[each], offered[each]) for each in read}, definition)
        found = [
            FieldFit(each, own.fields[each], offered[each], guess.field, guess.reason)
            for each, guess in guesses.items()
        ]
        return StreamFit(stream, found, [], note), sum(guess.points for guess in guesses.values()) - bool(note)

    def _read(self, name: str) -> list[str]:
        """Return the fields of an input that the query requires."""
        return [each for each in self.template.streams[name].fields if not self._sound(name, each, None)]

    def _offered(self, name: str, of: str, definition: StreamDefinition) -> list[str]:
        return [each for each, type_ in definition.fields.items() if self._sound(name, of, type_)]

    def _kind(self, name: str, of: str) -> str:
        """Describe the types that a field may have."""
        taken = {each for each in _KINDS if self._sound(name, of, each)}
        if len(taken) == len(_KINDS):
            return "any simple type"
        return "a number" if taken == _NUMBERS else " or ".join(each for each in _KINDS if each in taken)

    def _sound(self, name: str, of: str, type_: str | None) -> bool:
        """Return true if the query is valid with another type of a field, or without it.

        Fields that are compared with it, for example the key of the other side of a join, may have the other type as
        well.
        """
        asked = (name, of, type_)
        if asked not in self.answers:
            streams = self.template.streams
            alone = {**streams, name: _with(streams[name], of, type_)}
            alike = {each: _with(stream, of, type_) for each, stream in streams.items()}
            both = type_ is not None and alike != alone
            self.answers[asked] = self._checked(alone) or (both and self._checked(alike))
        return self.answers[asked]

    def _checked(self, streams: Mapping[str, StreamDefinition]) -> bool:
        faults = check_sql(self.template.sql, streams).faults
        return not any(each.severity is Severity.ERROR for each in faults)


def _with(stream: StreamDefinition, of: str, type_: str | None) -> StreamDefinition:
    fields = {
        each: type_ if each == of and type_ is not None else was
        for each, was in stream.fields.items()
        if not (each == of and type_ is None)
    }
    return stream.model_copy(update={"fields": fields})


def _other_shape(wanted: Shape, given: Shape) -> Iterator[str]:
    """Explain a wrong shape: points have no length, so a template of lifetimes shows nothing; the reverse works."""
    if given is Shape.POINT and wanted in _LASTING:
        yield f"Its events are points; this input takes {_shape_words(wanted)}."


def _longer(shape: Shape) -> str:
    return f"Its events are {_SHAPES[shape]}, not points: each counts for as long as it lasts."


def _shape_words(shape: Shape) -> str:
    return "intervals or edges" if shape in _LASTING else _SHAPES[shape]


@dataclass(frozen=True)
class FieldGuess:
    """A guess of the matching field, the reason, and how certain it is."""

    field: str
    reason: str
    points: int


def _guessed(wanted: Mapping[str, tuple[str, Sequence[str]]], definition: StreamDefinition) -> dict[str, FieldGuess]:
    """Guess a field for each wanted one, by its type and the offered fields; the most certain are made first."""
    sure: dict[str, FieldGuess] = {}
    for rule in (_same, _alike, _of_type, _number, _left):
        for name, (type_, offered) in wanted.items():
            taken = {each.field for each in sure.values()}
            free = {each: definition.fields[each] for each in offered if each not in taken}
            if name not in sure and (guess := rule(name, type_, free)):
                sure[name] = guess
    both = "No other matching field is left, so it is used twice."
    return {name: sure.get(name, FieldGuess(offered[0], both, 0)) for name, (_, offered) in wanted.items()}


def _same(name: str, _: str, free: Mapping[str, str]) -> FieldGuess | None:
    found = next((each for each in free if _plain(each) == _plain(name)), None)
    return None if found is None else FieldGuess(found, "It has the same name.", 4)


def _alike(name: str, _: str, free: Mapping[str, str]) -> FieldGuess | None:
    near = [each for each in free if _words(name) & _words(each)]
    near = near or difflib.get_close_matches(name, list(free), n=1, cutoff=_SIMILAR)
    return FieldGuess(near[0], "Its name is similar.", 3) if near else None


def _of_type(_: str, type_: str, free: Mapping[str, str]) -> FieldGuess | None:
    same = [each for each, of in free.items() if of == type_]
    if not same:
        return None
    if len(same) == 1:
        return FieldGuess(same[0], f"It is the only other field of type {type_}.", 2)
    return FieldGuess(same[0], f"It is the first field of type {type_}; check that it is the right one.", 1)


def _number(_: str, type_: str, free: Mapping[str, str]) -> FieldGuess | None:
    order = ("double", "decimal", "long") if type_ == "double" else ("long", "decimal", "double")
    numbers = [each for kind in order for each, of in free.items() if of.split("(")[0] == kind]
    if type_ not in order or not numbers:
        return None
    return FieldGuess(numbers[0], f"It is a number too, a {free[numbers[0]]}; check that it is the right one.", 1)


def _left(_: str, __: str, free: Mapping[str, str]) -> FieldGuess | None:
    found = next(iter(free), None)
    if found is None:
        return None
    return FieldGuess(
        found, f"It is the first field that fits, of type {free[found]}; check that it is the right one.", 0
    )


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def _words(name: str) -> set[str]:
    """Return the words of a name with at least three letters: `exitPage` and `exit_page` have two each."""
    return {each.lower() for each in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", name) if len(each) > 2}
