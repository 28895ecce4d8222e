"""Checks of analytic nodes: groups, order, reach, and each column with its frame (T43 to T47)."""

from typing import Final

from streaming.definition.aggregate_functions import AGGREGATES
from streaming.definition.analytic import ROW_FUNCTIONS, AnalyticColumn, AnalyticNode, Frame
from streaming.definition.checks.aggregates import check_aggregate
from streaming.definition.checks.findings import CheckFindings, reserved_starts
from streaming.definition.checks.window_sizes import LONGEST, check_length, check_row_grace
from streaming.definition.faults import FaultCode
from streaming.definition.payload.types import (
    DOUBLE,
    LONG,
    STRING,
    Fields,
    Null,
    Type,
    common_type,
    is_numeric,
    is_ordered,
)
from streaming.definition.rows import row_fields
from streaming.temporal.ticks import format_duration, parse_duration

_PARAMETERS: Final = ("filter", "k", "fraction", "offset", "default", "ignore_nulls", "least")
_OF_AGGREGATES: Final = ("filter", "k", "fraction")
_NEEDED: Final = ("target", "threshold")


def check_analytic(node: AnalyticNode, findings: CheckFindings) -> Fields | None:
    """Check an analytic node; its output fields are those of its input, then its columns."""
    before = findings.schemas.get(node.input)
    findings.groups(node.id, node.group_by, before)
    visible = None if before is None else row_fields(before)
    _check_order(node, visible, findings)
    _check_lengths(node, findings)
    names = [*(before or ()), *(column.name for column in node.columns)]
    findings.names(names, node.id, "columns", existing=frozenset(before or ()))
    findings.faults.extend(reserved_starts(node.id, before, (column.name for column in node.columns), "columns"))
    types: dict[str, Type | None] = {}
    for index, column in enumerate(node.columns):
        path = f"columns[{index}]"
        types[column.name] = _check_column(column, visible, findings, node.id, path)
    _warn_of_state(node, findings)
    known = {name: of for name, of in types.items() if of is not None}
    return None if before is None or len(known) < len(node.columns) else {**before, **known}


def _check_order(node: AnalyticNode, visible: Fields | None, findings: CheckFindings) -> None:
    for index, by in enumerate(node.order_by):
        path = f"order_by[{index}].of"
        of = findings.type_of(by.of, visible, node.id, path)
        if of is not None and (isinstance(of, Null) or not is_ordered(of)):
            message = f"ORDER BY needs values that can be ordered; this expression is of type {of}."
            remedy = "Order by a number, a text, a boolean or a timestamp."
            findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node.id, path)


def _check_lengths(node: AnalyticNode, findings: CheckFindings) -> None:
    if node.reach is not None:
        findings.faults.extend(check_length(parse_duration(node.reach), "The reach", node.id, "reach"))
    if node.grace is not None:
        findings.faults.extend(check_row_grace(parse_duration(node.grace), node.id))


def _check_column(
    column: AnalyticColumn, visible: Fields | None, findings: CheckFindings, node: str, path: str
) -> Type | None:
    _check_parameters(column, findings, node, path)
    _check_frame(column, findings, node, f"{path}.frame")
    if column.filter is not None:
        findings.condition(column.filter, visible, node, f"{path}.filter")
    of = None if column.of is None else findings.type_of(column.of, visible, node, f"{path}.of")
    if column.function in AGGREGATES:
        result, faults = check_aggregate(column, of, path, node)
        findings.faults.extend(faults)
        return result
    if column.function == "row_number":
        return LONG
    if column.of is None:
        message = f"{column.name!r}: {column.function} needs 'of', the value of a row."
        remedy = "Add 'of' with a field or an expression."
        findings.refuse(FaultCode.MISSING_ARGUMENT, message, remedy, node, f"{path}.of")
    return _result_type(column, of, visible, findings, node, path)


def _result_type(
    column: AnalyticColumn, of: Type | None, visible: Fields | None, findings: CheckFindings, node: str, path: str
) -> Type | None:
    if ROW_FUNCTIONS[column.function].numeric:
        if of is not None and not is_numeric(of):
            message = f"{column.name!r}: {column.function} does not take values of type {of}."
            findings.refuse(FaultCode.TYPE_MISMATCH, message, "Use a number.", node, f"{path}.of")
            return None
        return STRING if column.function == "cusum_alarm" else DOUBLE
    default = None if column.default is None else findings.type_of(column.default, visible, node, f"{path}.default")
    if of is None:
        return None
    result = of if default is None else common_type(of, default)
    if result is None or isinstance(result, Null):
        others = "" if default is None else f", the default of type {default}"
        message = f"{column.name!r}: the value is of type {of}{others}."
        remedy = "Use a value that is not always null, and a default of the same type."
        findings.refuse(FaultCode.TYPE_MISMATCH, message, remedy, node, f"{path}.{'default' if default else 'of'}")
        return None
    return result


def _check_parameters(column: AnalyticColumn, findings: CheckFindings, node: str, path: str) -> None:
    if column.function in AGGREGATES:
        used: tuple[str, ...] = _OF_AGGREGATES
    else:
        used = ROW_FUNCTIONS[column.function].parameters
    defaults = AnalyticColumn.model_fields
    for name in (*_PARAMETERS, "target", "drift", "threshold"):
        value = getattr(column, name)
        if name not in used and value != defaults[name].default:
            message = f"{column.name!r}: {column.function} does not use {name!r}."
            findings.refuse(FaultCode.BAD_SHAPE, message, "Remove it.", node, f"{path}.{name}")
        if name in used and name in _NEEDED and value is None:
            message = f"{column.name!r}: {column.function} needs {name!r}."
            findings.refuse(FaultCode.MISSING_ARGUMENT, message, f"Add {name!r}, a number.", node, f"{path}.{name}")
    if column.function == "row_number" and column.of is not None:
        message = f"{column.name!r}: row_number takes no value."
        findings.refuse(FaultCode.BAD_SHAPE, message, "Remove 'of'.", node, f"{path}.of")
    if column.function == "nth_value" and column.offset == 0:
        message = f"{column.name!r}: the rows of a frame are counted from 1."
        findings.refuse(FaultCode.BAD_SHAPE, message, "Write an offset of 1 or more.", node, f"{path}.offset")


def _check_frame(column: AnalyticColumn, findings: CheckFindings, node: str, path: str) -> None:
    frame = column.frame
    if frame is None:
        return
    if not column.framed:
        message = f"{column.name!r}: {column.function} takes no frame: it counts rows, or sees all before the row."
        findings.refuse(FaultCode.CONFLICTING_ARGUMENTS, message, "Remove the frame.", node, path)
    if frame.following is None:
        message = f"{column.name!r}: a frame without an end would wait for rows forever."
        remedy = "Bound it, for example with 5 FOLLOWING or 10m FOLLOWING."
        findings.refuse(FaultCode.UNBOUNDED_FOLLOWING, message, remedy, node, f"{path}.following")
    for side, bound in (("preceding", frame.preceding), ("following", frame.following)):
        if bound is not None:
            _check_bound(frame, bound, findings, node, f"{path}.{side}")


def _check_bound(frame: Frame, bound: int | str, findings: CheckFindings, node: str, path: str) -> None:
    if frame.unit == "rows":
        if isinstance(bound, str) or bound < 0:
            message = f"ROWS counts rows, so {bound!r} is not a bound."
            findings.refuse(FaultCode.BAD_SHAPE, message, "Write a whole number of 0 or more.", node, path)
    elif not 0 <= parse_duration(bound) <= LONGEST:
        message = f"The bound of the frame is {format_duration(parse_duration(bound))}, which is out of range."
        remedy = "Write a duration of zero or more, such as '10m', and less than 9999 years."
        findings.refuse(FaultCode.BAD_DURATION, message, remedy, node, path)


def _warn_of_state(node: AnalyticNode, findings: CheckFindings) -> None:
    if node.reach is not None:
        return
    for index, column in enumerate(node.columns):
        frame = column.frame
        if column.framed and frame is not None and frame.unit == "range" and frame.preceding is not None:
            continue
        message = (
            f"{column.name!r} may see rows of any age, so the node keeps rows or totals of every group forever"
            + (", and a row may wait forever for the next ones." if _looks_ahead(column) else ".")
        )
        remedy = "Set 'reach', such as '1h': rows that far away or more are not seen."
        findings.warn(FaultCode.UNBOUNDED_STATE, message, remedy, node.id, f"columns[{index}]")
        return


def _looks_ahead(column: AnalyticColumn) -> bool:
    return column.function == "lead" or (column.frame is not None and column.frame.following != 0)
