"""Requests and responses of the API about confirmations."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field, RootModel

from streaming.definition.strict import Strict
from streaming.wire.beginning import KeptBegin
from webapp.accounts.permissions import Permission
from webapp.bundles.bodies import DefinitionChange, PlanBody
from webapp.confirmations.models import ConfirmationStatus

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


class ConfirmationSummary(Strict):
    """A plan in a list. Times are ISO text. `permission`: a person needs it to confirm or refuse the plan.

    `requested_by`: the address of a person or the name of a service account, whose tokens alone can carry it out;
    `token`: the start of the token.
    """

    id: str
    kind: PlanKind
    title: str
    status: ConfirmationStatus
    permission: Permission
    requested_by: str
    token: str
    requested_at: str
    expires_at: str
    decided_by: str
    decided_at: str | None
    carried_out_at: str | None


class ConfirmationList(RootModel[list[ConfirmationSummary]]):
    """The plans of an organisation, newest first."""


class ConfirmationResponse(ConfirmationSummary):
    """A plan with its effect: sentences, and for files the change of each definition. `binding`: its id."""

    binding: str | None
    sentences: list[str]
    changes: list[DefinitionChange]
