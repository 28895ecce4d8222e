"""Options of inputs from S3."""

from typing import Annotated

from pydantic import Field, field_validator

from streaming.adapters.file.options import (
    MOST_CHARACTERS,
    BatchBytes,
    BatchFiles,
    ChunkRows,
    Columns,
    CtiColumnName,
    Delimiter,
    Follow,
    FormatOption,
    Pattern,
    StrictCtis,
)
from streaming.adapters.formats.text.dialect import PLAIN_DIALECT, DialectOption
from streaming.adapters.s3.connection_options import S3ConnectionOptions, normalize_prefix


class S3Options(S3ConnectionOptions):
    """CSV, JSON or Parquet objects in an S3-compatible bucket, in order of their last change and their key."""

    prefix: Annotated[
        str,
        Field(
            max_length=MOST_CHARACTERS,
            title="Folder or object",
            description="The key of an object, or the prefix of the keys before a slash. Empty: the whole bucket.",
        ),
    ] = ""
    pattern: Pattern = "*"
    format: FormatOption = "auto"
    delimiter: Delimiter = ","
    dialect: DialectOption = PLAIN_DIALECT
    columns: Columns = Field(default_factory=dict)
    follow: Follow = False
    look_every_s: Annotated[
        int,
        Field(
            ge=1,
            le=86_400,
            title="Polling interval (s)",
            description="How often the bucket is listed for new objects, with one request per 1,000 keys.",
        ),
    ] = 10
    chunk_rows: ChunkRows = 1_000_000
    cti_column: CtiColumnName = None
    cti_strict: StrictCtis = False
    batch_files: BatchFiles = None
    batch_bytes: BatchBytes = None

    @field_validator("prefix")
    @classmethod
    def _normalize(cls, prefix: str) -> str:
        return normalize_prefix(prefix)
