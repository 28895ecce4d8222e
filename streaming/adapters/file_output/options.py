"""What a user sets for results that go to files."""

from typing import Annotated

from pydantic import Field

from streaming.adapters.file.options import MOST_CHARACTERS
from streaming.adapters.result_files.options import ByDayOption, ResultFormatOption
from streaming.definition.strict import Strict


class FileOutputOptions(Strict):
    """Results as files of the organisation's folder, each row once; what corrects earlier rows follows as rows."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS - 200,
            title="Folder",
            description="Inside `files/` of the organisation's folder; it is made when it is not there. Best one that "
            "nothing else is written to.",
        ),
    ]
    format: ResultFormatOption = "json_lines"
    by_day: ByDayOption = True
