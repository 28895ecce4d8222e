"""Requests of the API about confirmations. Limited processes judge the large ones, so nothing here needs Django."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, RootModel

from streaming.definition.strict import Strict
from streaming.wire.beginning import KeptBegin
from webapp.bundles.bodies import PlanBody

PlanKind = Literal["apply", "start", "stop"]
StopHow = Literal["flush", "discard"] | None


class ApplyPlan(PlanBody):
    """Applying files."""

    kind: Literal["apply"]


class StartPlan(Strict):
    """Starting a binding; `begin` as in `bindings/<binding>/start/`, without positions that must be queried first."""

    kind: Literal["start"]
    binding: UUID
    begin: KeptBegin | None = None


class StopPlan(Strict):
    """Stopping a binding: `how` as in `bindings/<binding>/stop/`; null keeps the state for the next start."""

    kind: Literal["stop"]
    binding: UUID
    how: StopHow = None


PlanRequest = ApplyPlan | StartPlan | StopPlan


class ConfirmationBody(RootModel[Annotated[PlanRequest, Field(discriminator="kind")]]):
    """A plan for a person to confirm."""


class DecisionBody(Strict):
    """The decision of a person: confirm the plan, or refuse it."""

    confirm: bool


class CarryOutBody(Strict):
    """The files of a plan to apply, exactly as they were sent for confirmation; empty for other plans."""

    files: dict[str, str] = Field(default_factory=dict)
