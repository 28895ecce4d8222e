"""The base of every model that is read from what a person wrote."""

from pydantic import BaseModel, ConfigDict


class Strict(BaseModel):
    """Frozen, and unknown keys are refused: nothing that a user wrote is silently dropped.

    The text of a validation error, which may come into a log, does not show the input.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
