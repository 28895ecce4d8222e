"""Faults of a definition: errors and warnings, each with its place and its remedy. Codes are stable."""

import difflib
from collections.abc import Iterable
from enum import StrEnum

from streaming.definition.strict import Strict


class FaultCode(StrEnum):
    """Every kind of error and warning; in OpenAPI, and exhaustive in TypeScript."""

    BAD_SHAPE = "bad_shape"
    BAD_SQL = "bad_sql"
    BAD_FILE = "bad_file"
    IN_USE = "in_use"
    DUPLICATE_ID = "duplicate_id"
    RESERVED_NAME = "reserved_name"
    UNKNOWN_NODE = "unknown_node"
    UNKNOWN_STREAM = "unknown_stream"
    CYCLE = "cycle"
    NO_INPUT = "no_input"
    NO_OUTPUT = "no_output"
    UNUSED_NODE = "unused_node"
    OUTPUT_AS_INPUT = "output_as_input"
    BAD_EXPRESSION = "bad_expression"
    BAD_PATTERN = "bad_pattern"
    UNKNOWN_FIELD = "unknown_field"
    UNKNOWN_FUNCTION = "unknown_function"
    UNKNOWN_MODULE = "unknown_module"
    UNKNOWN_EXPORT = "unknown_export"
    BAD_SIGNATURE = "bad_signature"
    BAD_MODULE = "bad_module"
    TYPE_MISMATCH = "type_mismatch"
    DUPLICATE_NAME = "duplicate_name"
    BAD_WINDOW = "bad_window"
    GAPS_BETWEEN_WINDOWS = "gaps_between_windows"
    TOO_MANY_WINDOWS = "too_many_windows"
    MISSING_ARGUMENT = "missing_argument"
    LATE_NOT_SAID = "late_not_said"
    BAD_ADVANCE_TIME = "bad_advance_time"
    NO_CLOCK = "no_clock"
    BAD_SCHEMA = "bad_schema"
    BAD_ADAPTER = "bad_adapter"
    BAD_DURATION = "bad_duration"
    CONFLICTING_ARGUMENTS = "conflicting_arguments"
    NO_EFFECT = "no_effect"
    FIELDS_DIFFER = "fields_differ"
    JOIN_WITHOUT_KEYS = "join_without_keys"
    BAD_EMPTY = "bad_empty"
    PROVISIONAL_ROWS = "provisional_rows"
    UNKNOWN_INPUT = "unknown_input"
    IMPORT_CYCLE = "import_cycle"
    LATE_KEEP_REFUSED = "late_keep_refused"
    LATE_RESULTS = "late_results"
    KEEP_WITHOUT_GRACE = "keep_without_grace"
    WINDOWS_NOT_ALIGNED = "windows_not_aligned"
    OVERLAPPING_RANKS = "overlapping_ranks"
    UNBOUNDED_STATE = "unbounded_state"
    UNBOUNDED_FOLLOWING = "unbounded_following"
    UNKNOWN_PRESET = "unknown_preset"
    PRESET_ARGUMENTS = "preset_arguments"
    SEAM_BY_TIME = "seam_by_time"
    SEAM_GONE = "seam_gone"
    EQUAL_TIMES_LATE = "equal_times_late"
    ROWTIME_NEEDS_POINTS = "rowtime_needs_points"
    EMPTY_SAMPLE = "empty_sample"
    ROWS_MALFORMED = "rows_malformed"
    TIMES_AHEAD = "times_ahead"
    WRONG_TIME_UNIT = "wrong_time_unit"
    NO_READABLE_TIME = "no_readable_time"
    DELAY_TOO_SHORT = "delay_too_short"
    LARGE_STATE = "large_state"


class Severity(StrEnum):
    """A definition with an error is refused; one with warnings alone is accepted."""

    ERROR = "error"
    WARNING = "warning"


class Span(Strict):
    """A part of a text, half open: from the code point `start` up to, not including, `end`, counted from 0."""

    start: int
    end: int


class Fault(Strict):
    """One error or warning: `node` is an id (None: the definition), `field` a path inside it, `remedy` a sentence.

    `at` is the character, counted from 0, inside the text of `field` if that is an expression. `span` is the place
    in the SQL text of the definition, None if the definition was not read from SQL.
    """

    code: FaultCode
    severity: Severity
    node: str | None
    field: str | None
    message: str
    remedy: str
    at: int | None = None
    span: Span | None = None


def error(code: FaultCode, message: str, remedy: str, *, node: str | None = None, field: str | None = None) -> Fault:
    """Return a fault for which the definition is refused."""
    return Fault(code=code, severity=Severity.ERROR, node=node, field=field, message=message, remedy=remedy)


def warning(code: FaultCode, message: str, remedy: str, *, node: str | None = None, field: str | None = None) -> Fault:
    """Return a fault with which the definition is still accepted."""
    return Fault(code=code, severity=Severity.WARNING, node=node, field=field, message=message, remedy=remedy)


def nearest(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return a remedy for the unknown `name`: the nearest of the `known` names, else the sentence `otherwise`."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"Did you mean {near[0]!r}?" if near else otherwise
