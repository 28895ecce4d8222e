"""Options of the `delta` adapter."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.file.options import ChunkRows, Columns, CtiColumnName, StrictCtis
from streaming.adapters.kinds import shown_with
from streaming.definition.strict import Strict
from streaming.temporal.ticks import TimeTextError, parse_instant

TableStart = Literal["beginning", "snapshot", "latest", "version", "time"]


class DeltaOptions(Strict):
    """Rows appended to a Delta Lake table in the organisation's folder, version by version, each row once."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_024,
            title="Folder of the table",
            description="Inside `files/` of the organisation's folder: the folder that contains `_delta_log`.",
        ),
    ]
    columns: Columns = Field(default_factory=dict)
    start: Annotated[
        TableStart,
        Field(
            title="Start with",
            description="beginning: the first version. snapshot: the rows that the table has now, oldest file first, "
            "followed by newly appended rows. latest: only rows appended from now on. version: the version with this "
            "number. time: the first version written at this time or later.",
        ),
    ] = "beginning"
    start_version: Annotated[
        int | None,
        Field(
            ge=0,
            le=2**53,
            title="First version",
            description="For version: its number.",
            json_schema_extra=shown_with({"start": ["version"]}),
        ),
    ] = None
    start_time: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=40,
            title="First time",
            description="For time: an instant, for example 2026-11-23T08:00:00Z.",
            json_schema_extra=shown_with({"start": ["time"]}),
        ),
    ] = None
    changes: Annotated[
        Literal["fail", "skip"],
        Field(
            title="Versions that change rows",
            description="An update, a deletion, a merge or an overwrite changes rows that were already read. fail: "
            "the input stops with an error. skip: no row of such a version is read, and a malformed row names the "
            "version. Compaction (OPTIMIZE) and merges that only insert do not count as changes.",
        ),
    ] = "fail"
    lost: Annotated[
        Literal["fail", "skip"],
        Field(
            title="Lost rows",
            description="Files that VACUUM removed, or versions that were deleted from the log, before they were read. "
            "fail: the input stops with an error. skip: it continues, and a malformed row reports the missing rows.",
        ),
    ] = "fail"
    follow: Annotated[
        bool,
        Field(
            title="Wait for more versions",
            description="On: later versions are read too, and the input never ends. Off: the input ends with the "
            "newest version.",
        ),
    ] = True
    cti_column: CtiColumnName = None
    cti_strict: StrictCtis = False
    chunk_rows: ChunkRows = 1_000_000

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if (self.start == "version") != (self.start_version is not None):
            raise ValueError("set the first version if `start` is version, and only then")
        if (self.start == "time") != (self.start_time is not None):
            raise ValueError("set the first time if `start` is time, and only then")
        if self.start_time is not None:
            try:
                parse_instant(self.start_time)
            except TimeTextError as error:
                raise ValueError(str(error)) from None
        return self
