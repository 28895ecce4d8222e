"""Options of the `file` adapter."""

from typing import Annotated, Final, Literal

from pydantic import Field

from streaming.adapters.formats.text.dialect import PLAIN_DIALECT, DialectOption
from streaming.definition.strict import Strict

MOST_CHARACTERS: Final = 1_024
Format = Literal["auto", "csv", "json_lines", "json", "parquet"]

FormatOption = Annotated[
    Format,
    Field(
        title="Format",
        description="auto: by the file name (.csv, .jsonl .ndjson .json, .parquet), with .gz or .zst after it for "
        "compressed files. json_lines: one record per line. json: one document with a list of records.",
    ),
]
Pattern = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        title="Pattern",
        description="The files of a folder to read, for example *.csv.gz, or **/*.parquet to include subfolders. Names "
        "that begin with a dot or underscore, or end in .tmp or .part, are skipped: on a disk, write "
        "to such a name and "
        "rename the file when it is complete.",
    ),
]
Follow = Annotated[
    bool,
    Field(
        title="Wait for more files",
        description="On: files that are added later are read too, and the input never ends. "
        "Off: the input ends when all files are read.",
    ),
]
BatchFiles = Annotated[
    int | None,
    Field(ge=1, title="Files per batch", description="The most files that a batch reads from. Empty: no limit."),
]
BatchBytes = Annotated[
    int | None,
    Field(
        ge=1,
        title="Bytes per batch",
        description="A batch reads at most about this many stored bytes, and at least one row. Empty: no limit. A part "
        "of a file counts by its share of the file's rows.",
    ),
]
Delimiter = Annotated[
    str, Field(pattern=r"^[\t -!#-~]$", title="Delimiter", description="CSV: the character between cells.")
]
Columns = Annotated[
    dict[str, str],
    Field(
        title="Columns",
        description="Maps a field of the stream (or start, end, edge) to the column that holds it. "
        "Fields with the same name as their column need no entry.",
    ),
]
ChunkRows = Annotated[
    int, Field(ge=1, le=5_000_000, title="Rows per chunk", description="The most rows held in memory at once.")
]

CtiColumnName = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        title="CTI column",
        description="A row in which this column is not null is a CTI, not an event. The column holds the CTI's "
        "time, or "
        "infinity at the end of all data.",
    ),
]
StrictCtis = Annotated[
    bool, Field(title="Strict CTIs", description="On: no later event starts even at the CTI's own time.")
]


class FileOptions(Strict):
    """CSV, JSON or Parquet files of one folder, read in order of modification time, path and row number."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS,
            title="File or folder",
            description="A file or a folder inside `files/` of the organisation's folder.",
        ),
    ]
    pattern: Pattern = "*"
    format: FormatOption = "auto"
    delimiter: Delimiter = ","
    dialect: DialectOption = PLAIN_DIALECT
    columns: Columns = Field(default_factory=dict)
    follow: Follow = False
    chunk_rows: ChunkRows = 1_000_000
    batch_files: BatchFiles = None
    cti_column: CtiColumnName = None
    cti_strict: StrictCtis = False
    batch_bytes: BatchBytes = None
