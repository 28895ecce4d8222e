"""Options of results that are written to files."""

from typing import Annotated

from pydantic import Field

from streaming.adapters.file.options import MOST_CHARACTERS
from streaming.adapters.result_files.options import ByDayOption, FormulasOption, ResultFormatOption
from streaming.definition.strict import Strict


class FileOutputOptions(Strict):
    """Results as files in the organisation's folder, each row once; corrections of earlier rows follow as rows."""

    path: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS - 200,
            title="Folder",
            description="Inside `files/` of the organisation's folder. It is created if it does not exist. Use "
            "a folder "
            "that nothing else writes to.",
        ),
    ]
    format: ResultFormatOption = "json_lines"
    by_day: ByDayOption = True
    formulas: FormulasOption = "as_is"
