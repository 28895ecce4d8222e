"""The parameters of a chart: the same ones select the rows of an export, so both show the same."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from webapp.boards.charts import ChartDefinition


class ChartQuery(ChartDefinition):
    """One chart: its rows, and how they become points."""

    where: str | None = None
    begin: Annotated[str | None, Field(alias="from")] = None
    end: Annotated[str | None, Field(alias="to")] = None
    run: UUID | None = None
