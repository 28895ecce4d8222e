"""What a user sets for inputs from S3."""

from typing import Annotated

from pydantic import Field, field_validator

from streaming.adapters.file.options import (
    MOST_CHARACTERS,
    ChunkRows,
    Columns,
    CtiColumnName,
    Delimiter,
    FormatOption,
    StrictCtis,
)
from streaming.adapters.s3.connection_options import S3ConnectionOptions, tidy_prefix


class S3Options(S3ConnectionOptions):
    """CSV, JSON lines or Parquet objects of a bucket that speaks S3, in order of their last change and their key."""

    prefix: Annotated[
        str,
        Field(
            max_length=MOST_CHARACTERS,
            title="Folder or object",
            description="The key of an object, or what the keys begin with before a slash; empty: the whole bucket.",
        ),
    ] = ""
    pattern: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS,
            title="Pattern",
            description="Which objects of the folder, such as *.csv.gz or **/*.parquet for its subfolders too. Names "
            "that begin with a dot or underscore, or end in .tmp or .part, are left out.",
        ),
    ] = "*"
    format: FormatOption = "auto"
    delimiter: Delimiter = ","
    columns: Columns = Field(default_factory=dict)
    follow: Annotated[
        bool,
        Field(
            title="Wait for more objects",
            description="On: objects that appear later are read too, and the input never ends. "
            "Off: the input ends when all objects are read.",
        ),
    ] = False
    look_every_s: Annotated[
        int,
        Field(
            ge=1,
            le=86_400,
            title="Look every, in seconds",
            description="How often the bucket is listed for new objects; each time, a request for 1,000 keys.",
        ),
    ] = 10
    chunk_rows: ChunkRows = 1_000_000
    cti_column: CtiColumnName = None
    cti_strict: StrictCtis = False
    batch_files: Annotated[
        int | None,
        Field(ge=1, title="Objects in a batch", description="A batch reads at most so many; empty: no limit."),
    ] = None
    batch_bytes: Annotated[
        int | None,
        Field(
            ge=1,
            title="Bytes in a batch",
            description="A batch reads about so many bytes at most, as they lie in the bucket, and at least one row; "
            "empty: no limit. A part of an object counts by its share of the object's rows.",
        ),
    ] = None

    @field_validator("prefix")
    @classmethod
    def _tidy(cls, prefix: str) -> str:
        return tidy_prefix(prefix)
