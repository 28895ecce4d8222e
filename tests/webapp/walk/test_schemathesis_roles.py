"""Whatever a token of any role sends to any endpoint: no failure of the server, and nothing of another organisation."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import CHECKS

from tests.webapp.conftest import join
from tests.webapp.test_schemathesis import ENDLESS, OPERATIONS, cases_of
from tests.webapp.test_tenancy import ids  # noqa: F401 - a fixture
from tests.webapp.walk.planted import MARK, Planted
from webapp.accounts.models import Organisation
from webapp.accounts.permissions import Role

NO_FAILURE = CHECKS.get_one("not_a_server_error")
EACH = [
    *((role, 1) for role in (Role.VIEWER, Role.OWNER)),
    *(pytest.param(role, 40, marks=pytest.mark.thorough) for role in Role),
]


@pytest.mark.parametrize(("role", "examples"), EACH)
def test_no_token_of_acme_gets_a_failure_or_anything_of_zeta(
    role: Role,
    examples: int,
    acme: Organisation,
    ids: dict[str, str],  # noqa: F811
    zeta: Planted,
) -> None:
    person = join("somebody@acme.example", acme, role)
    made = person.post("tokens/", {"name": "t", "role": role.value, "expires_in_days": 1})
    sent = {"Authorization": f"Bearer {made.json()['token']}"}
    own = {"slug": "acme", "template": "dead_man", "node": "out"}
    mine = {name.removeprefix("<uuid:").rstrip(">"): value for name, value in ids.items()} | own
    theirs = {name.removeprefix("<uuid:").rstrip(">"): value for name, value in zeta.ids.items()} | own
    for label in sorted(OPERATIONS.keys() - ENDLESS):
        _ask(OPERATIONS[label], examples, sent, [mine, theirs, {**theirs, "slug": "zeta"}], zeta.ids)


def _ask(operation: Any, examples: int, sent: dict[str, str], known: list[dict[str, str]], planted: Any) -> None:
    @settings(max_examples=examples, deadline=None, derandomize=examples == 1, suppress_health_check=list(HealthCheck))
    @given(case=cases_of(operation), which=st.sampled_from(known))
    def keeps_to_itself(case: schemathesis.Case, which: dict[str, str]) -> None:
        (case.headers or {}).pop("Authorization", None)
        case.path_parameters = {name: which[name] for name in case.path_parameters or {}}
        answered = case.call_and_validate(headers={**sent, "Accept-Encoding": "identity"}, checks=[NO_FAILURE])
        text = answered.content.decode("latin-1") + str(answered.headers)  # files of results are not text
        assert MARK not in text, operation.label
        assert not any(each in text for each in planted.values() if each not in str(case.path_parameters))

    keeps_to_itself()
