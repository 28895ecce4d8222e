"""Options of the `rows` adapter."""

from typing import Annotated

from pydantic import Field

from streaming.definition.strict import Strict


class RowsOptions(Strict):
    """Rows in transcript form, one JSON object per line, for tests and worked examples."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            title="File",
            description="A JSON lines file inside `files/` of the organisation's folder. Keys: start, end, edge, "
            "payload, lane, cti (null: infinity), strict, bad, arrival, heartbeat, and batch (micro-batch number).",
        ),
    ]
