"""Options of results that are written to S3."""

from typing import Annotated

from pydantic import Field, field_validator

from streaming.adapters.file.options import MOST_CHARACTERS
from streaming.adapters.result_files.options import ByDayOption, FormulasOption, ResultFormatOption
from streaming.adapters.s3.connection_options import S3ConnectionOptions, normalize_prefix


class S3OutputOptions(S3ConnectionOptions):
    """Results as objects in an S3-compatible bucket, each row once; corrections of earlier rows follow as rows."""

    prefix: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS - 200,
            title="Folder",
            description="The prefix of the keys before a slash. Use one that nothing else writes to.",
        ),
    ]
    format: ResultFormatOption = "parquet"
    by_day: ByDayOption = True
    formulas: FormulasOption = "as_is"

    @field_validator("prefix")
    @classmethod
    def _normalize(cls, prefix: str) -> str:
        return normalize_prefix(prefix)
