"""A text into a script. (Being built: so far only `INSERT INTO t SELECT STREAM * FROM s`.)"""

import re

from streaming.definition.faults import Fault, FaultCode, Severity, Span
from streaming.definition.load import load_graph
from streaming.definition.sql.places import Place, Places
from streaming.definition.sql.script import Script, Statement


def parse_sql(text: str) -> Script:
    """Read `text`; never raises, and tells every fault at once."""
    match = re.fullmatch(r"\s*(?:INSERT\s+INTO\s+(\w+)\s+)?SELECT\s+STREAM\s+\*\s+FROM\s+(\w+)\s*;?\s*", text, re.I)
    if match is None:
        span = Span(start=0, end=len(text))
        message, remedy = "This text cannot be read yet.", "Write INSERT INTO target SELECT STREAM * FROM stream;"
        wrong = Fault(
            code=FaultCode.BAD_SQL,
            severity=Severity.ERROR,
            node=None,
            field=None,
            message=message,
            remedy=remedy,
            span=span,
        )
        return Script(text, {"version": 1, "name": "query", "nodes": []}, None, {}, {}, (wrong,), Places(text), ())
    target, stream = match.group(1) or "out", match.group(2)
    nodes = [{"id": stream, "kind": "input", "stream": stream}, {"id": target, "kind": "output", "input": stream}]
    raw: dict[str, object] = {"version": 1, "name": target, "nodes": nodes}
    loaded = load_graph(raw)
    where = Span(start=match.start(2), end=match.end(2))
    whole = Span(start=match.start(), end=match.end())
    places = Places(text, {stream: {"": Place(where)}, target: {"": Place(whole)}})
    statement = Statement("insert", whole, whole, (stream, target))
    return Script(text, raw, loaded.graph, {}, {}, loaded.faults, places, (statement,))
