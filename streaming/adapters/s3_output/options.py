"""What a user sets for results that go to S3."""

from typing import Annotated

from pydantic import Field, field_validator

from streaming.adapters.file.options import MOST_CHARACTERS
from streaming.adapters.result_files.options import ByDayOption, ResultFormatOption
from streaming.adapters.s3.connection_options import S3ConnectionOptions, tidy_prefix


class S3OutputOptions(S3ConnectionOptions):
    """Results as objects of a bucket that speaks S3, each row once; what corrects earlier rows follows as rows."""

    prefix: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS - 200,
            title="Folder",
            description="What the keys begin with before a slash; best one that nothing else is written to.",
        ),
    ]
    format: ResultFormatOption = "parquet"
    by_day: ByDayOption = True

    @field_validator("prefix")
    @classmethod
    def _tidy(cls, prefix: str) -> str:
        return tidy_prefix(prefix)
