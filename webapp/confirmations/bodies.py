"""Responses of the API about confirmations."""

from pydantic import RootModel

from streaming.definition.strict import Strict
from webapp.accounts.permissions import Permission
from webapp.bundles.bodies import DefinitionChange
from webapp.confirmations.models import ConfirmationStatus
from webapp.confirmations.requests import PlanKind


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
