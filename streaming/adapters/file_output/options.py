"""What a user sets for results that go to files."""

from typing import Annotated, Literal

from pydantic import Field

from streaming.definition.strict import Strict


class FileOutputOptions(Strict):
    """Results as files of one folder: JSON lines in the form of transcript rows, CSV, or Parquet."""

    path: Annotated[
        str, Field(min_length=1, title="Folder", description="A folder inside `files/` of the organisation's folder.")
    ]
    format: Annotated[
        Literal["json_lines", "csv", "parquet"],
        Field(
            title="Format",
            description="JSON lines can be read again as an input; CSV and Parquet have the columns start, end and "
            "the fields. An open end is empty.",
        ),
    ] = "json_lines"
