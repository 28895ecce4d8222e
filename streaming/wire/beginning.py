"""How a run begins where an earlier one of its binding has been: what is read again, and which rows are not whole."""

from typing import Literal

from streaming.definition.strict import Strict

BeginAt = Literal["oldest_open", "old_positions", "beginning"]
"""Where a run may begin whose state cannot go on: where the oldest open window began, where the run before had read
to, or at the beginning of its inputs."""


class RunBeginning(Strict):
    """How a run began that has not the whole state of the run `after`; times in ticks.

    `incomplete_before`, by output: rows that start earlier may lack something and say so; null: any row may. An output
    that is not named gives whole rows from the first on. What had been given `until` then, by output, is not given
    again; outputs of `alike` release as they did, so that all has been given that they bring from rows that are read
    again.
    `open_from`, `open_until`: the time of what was open when the run before stopped; null where nothing was, or where
    nothing had been given yet. `rows_again`: how many rows are read a second time. `sentence` says it all in words.
    """

    how: BeginAt
    after: str
    incomplete_before: dict[str, int | None]
    until: dict[str, int]
    alike: list[str]
    open_from: int | None
    open_until: int | None
    rows_again: int
    sentence: str

    @property
    def whole_from(self) -> int | None:
        """From when on the rows of all outputs are whole, where some are not; None where that is not known."""
        moments = self.incomplete_before.values()
        return None if None in moments else max((each for each in moments if each is not None), default=None)
