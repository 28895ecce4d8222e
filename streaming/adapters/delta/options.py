"""What a user sets for the `delta` adapter."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from streaming.adapters.file.options import ChunkRows, Columns, CtiColumnName, StrictCtis
from streaming.adapters.kinds import shown_with
from streaming.definition.strict import Strict
from streaming.temporal.ticks import TimeTextError, parse_instant

TableStart = Literal["beginning", "snapshot", "latest", "version", "time"]


class DeltaOptions(Strict):
    """Rows that are appended to a Delta Lake table in the organisation's folder, version by version, each row once."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=1_024,
            title="Folder of the table",
            description="Inside `files/` of the organisation's folder: the folder that holds `_delta_log`.",
        ),
    ]
    columns: Columns = Field(default_factory=dict)
    start: Annotated[
        TableStart,
        Field(
            title="Begin with",
            description="beginning: the first version. snapshot: the rows that the table has now, oldest file first, "
            "then what is appended. latest: only what is appended from now on. version, time: the first version that "
            "is named, or that was written then or later.",
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
            description="For time: an instant such as 2026-11-23T08:00:00Z.",
            json_schema_extra=shown_with({"start": ["time"]}),
        ),
    ] = None
    changes: Annotated[
        Literal["fail", "skip"],
        Field(
            title="Versions that change rows",
            description="An update, a deletion, a merge or an overwriting cannot be told from appended rows. fail: the "
            "input stops with a sentence. skip: no row of such a version is read, and a malformed row says which "
            "version that was. Compacting (OPTIMIZE) and merges that only insert are no changes.",
        ),
    ] = "fail"
    lost: Annotated[
        Literal["fail", "skip"],
        Field(
            title="Rows that are gone",
            description="Files that VACUUM removed, or versions that are no longer in the log, before they were read. "
            "fail: the input stops with a sentence. skip: it goes on, and a malformed row says what is missing.",
        ),
    ] = "fail"
    follow: Annotated[
        bool,
        Field(
            title="Wait for more versions",
            description="On: versions that come later are read too, and the input never ends. Off: it ends with the "
            "newest version.",
        ),
    ] = True
    cti_column: CtiColumnName = None
    cti_strict: StrictCtis = False
    chunk_rows: ChunkRows = 1_000_000

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if (self.start == "version") != (self.start_version is not None):
            raise ValueError("give the first version where `start` is version, and only there")
        if (self.start == "time") != (self.start_time is not None):
            raise ValueError("give the first time where `start` is time, and only there")
        if self.start_time is not None:
            try:
                parse_instant(self.start_time)
            except TimeTextError as error:
                raise ValueError(str(error)) from None
        return self
