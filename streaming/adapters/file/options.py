"""What a user sets for the `file` adapter."""

from typing import Annotated, Final, Literal

from pydantic import Field

from streaming.definition.strict import Strict

MOST_CHARACTERS: Final = 1_024
Format = Literal["auto", "csv", "json_lines", "parquet"]

FormatOption = Annotated[
    Format,
    Field(
        title="Format",
        description="auto goes by the name: .csv, .jsonl .ndjson .json, .parquet; .gz or .zst after it: compressed.",
    ),
]
Pattern = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        title="Pattern",
        description="Which files of a folder, such as *.csv.gz or **/*.parquet for its subfolders too. Names that "
        "begin with a dot or underscore, or end in .tmp or .part, are left out: on a disk, write under such a name and "
        "rename when the file is complete.",
    ),
]
Follow = Annotated[
    bool,
    Field(
        title="Wait for more files",
        description="On: files that appear later are read too, and the input never ends. "
        "Off: the input ends when all files are read.",
    ),
]
BatchFiles = Annotated[
    int | None,
    Field(ge=1, title="Files in a batch", description="A batch reads from at most so many files; empty: no limit."),
]
BatchBytes = Annotated[
    int | None,
    Field(
        ge=1,
        title="Bytes in a batch",
        description="A batch reads about so many bytes of files at most, as they are stored, and at least one row; "
        "empty: no limit. A part of a file counts by its share of the file's rows.",
    ),
]
Delimiter = Annotated[
    str, Field(pattern=r"^[\t -!#-~]$", title="Delimiter", description="CSV: the character between cells.")
]
Columns = Annotated[
    dict[str, str],
    Field(
        title="Columns",
        description="From a field of the stream (or start, end, edge) to the column that holds it; "
        "equal names need no entry.",
    ),
]
ChunkRows = Annotated[
    int, Field(ge=1, le=5_000_000, title="Rows in a chunk", description="At most so many rows are held at once.")
]

CtiColumnName = Annotated[
    str | None,
    Field(
        min_length=1,
        max_length=MOST_CHARACTERS,
        title="Column of CTIs",
        description="A row in which this column is not null is a CTI and no event; the column is its time, or infinity "
        "at the end of all.",
    ),
]
StrictCtis = Annotated[
    bool, Field(title="Strict CTIs", description="On: not even at that very time does anything follow.")
]


class FileOptions(Strict):
    """CSV, JSON lines or Parquet files of one folder, read in order of modification time, path and row number."""

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
    columns: Columns = Field(default_factory=dict)
    follow: Follow = False
    chunk_rows: ChunkRows = 1_000_000
    batch_files: BatchFiles = None
    cti_column: CtiColumnName = None
    cti_strict: StrictCtis = False
    batch_bytes: BatchBytes = None
