"""The pages of those who run the installation: who may enter, what they see, what they change."""

import html
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from tests.webapp.administration.conftest import text
from tests.webapp.conftest import Person, founded
from webapp.accounts.limits.quotas import limit
from webapp.accounts.models import Membership, OrganisationLimit, User
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import installation_context, organisation_context
from webapp.core.tenancy import TenantQuerySet
from webapp.runs.runner_models import OwnRunner, SeatInPool

GIVEN = ("runner.given", "runner.taken_back")
PAGES = ("", "accounts/organisation/", "accounts/user/", "runs/run/", "audit/auditevent/")


def events(action: str) -> list[AuditEvent]:
    with installation_context("a test reads what was written"):
        return list(TenantQuerySet(AuditEvent).filter(action=action))


@pytest.mark.parametrize("page", PAGES)
def test_an_owner_of_an_organisation_is_sent_away(page: str, alice: Person) -> None:
    answered = alice.client.get(f"/installation/{page}", follow=True)
    assert "Acme" not in text(answered)
    assert answered.redirect_chain[-1][0] == "/"


def test_nobody_signed_in_is_sent_to_the_sign_in_of_the_application(db: None) -> None:
    answered = Client().get("/installation/runs/run/")
    assert answered.status_code == 302
    assert answered.headers["Location"].startswith("/installation/login/")
    after = Client().get(answered.headers["Location"])
    assert after.headers["Location"] == "/sign-in?next=/installation/runs/run/"


@pytest.mark.parametrize("page", PAGES)
def test_a_superuser_sees_every_page_without_a_failure(page: str, ada: Client, scene: Any, charlie: Person) -> None:
    answered = ada.get(f"/installation/{page}")
    assert answered.status_code == 200
    if page:
        assert "acme" in text(answered)


def test_moments_are_spelt_as_everywhere(ada: Client, charlie: Person) -> None:
    joined = charlie.user.date_joined
    assert f"{joined:%Y-%m-%d %H:%M:%SZ}" in text(ada.get("/installation/accounts/user/"))


def test_staff_without_rights_see_no_organisation(staff: Client, alice: Person) -> None:
    assert staff.get("/installation/accounts/organisation/").status_code == 403


def test_organisations_and_runs_are_found_by_name(ada: Client, scene: Any, charlie: Person) -> None:
    found = text(ada.get("/installation/accounts/organisation/?q=zeta"))
    assert "Zeta" in found
    assert "Acme" not in found
    assert "watch" in text(ada.get("/installation/runs/run/?q=acme"))
    assert "0 runs" in text(ada.get("/installation/runs/run/?q=zeta"))


def test_a_limit_is_set_and_removed_with_an_event_for_each(ada: Client, alice: Person) -> None:
    acme = alice.organisation
    page = f"/installation/accounts/organisation/{acme.pk}/change/"
    form = {"name": "Acme", "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
    assert ada.post(page, {**form, "limit_runs": 3}).status_code == 302
    with organisation_context(acme.pk):
        assert limit("runs") == 3
    assert 'value="3"' in text(ada.get(page))
    assert ada.post(page, form).status_code == 302
    with organisation_context(acme.pk):
        assert not OrganisationLimit.objects.exists()
        assert limit("runs") == 10
    entries = [(each.actor_label, each.before, each.after) for each in reversed(events("limit.set"))]
    assert entries == [
        ("ada@installation.example", {"limit": 10}, {"limit": 3}),
        ("ada@installation.example", {"limit": 3}, {"limit": 10}),
    ]


def test_a_run_is_asked_to_stop_from_the_list(ada: Client, scene: Any) -> None:
    scene.running()
    answered = ada.post(
        "/installation/runs/run/", {"action": "ask_to_stop", "_selected_action": [scene.run_id]}, follow=True
    )
    assert "Asked watch of acme to stop." in text(answered)
    assert scene.run.desired == "stopped"


def test_staff_who_may_only_see_runs_stop_none(staff: Client, scene: Any) -> None:
    scene.running()
    asked = {"action": "ask_to_stop", "_selected_action": [scene.run_id]}
    sam = User.objects.get(email="sam@installation.example")
    for right, desired in (("view_run", "running"), ("change_run", "stopped")):
        sam.user_permissions.add(Permission.objects.get(codename=right))
        staff.post("/installation/runs/run/", asked)
        assert scene.run.desired == desired


def test_the_audit_log_can_be_read_and_not_changed(ada: Client, alice: Person) -> None:
    alice.post("streams/", {"name": "x"})
    for path in ("add/", "00000000-0000-0000-0000-000000000000/delete/"):
        assert ada.get(f"/installation/audit/auditevent/{path}").status_code in {302, 403, 404}
    assert ada.post("/installation/audit/auditevent/add/").status_code == 403


def test_a_deactivated_person_is_out_at_once(ada: Client, bob: Person) -> None:
    page = f"/installation/accounts/user/{bob.user.pk}/change/"
    assert ada.post(page, {"is_staff": "", "is_superuser": ""}).status_code == 302
    assert not User.objects.get(pk=bob.user.pk).is_active
    assert bob.get("streams/").status_code == 401
    (event,) = events("person.rights_changed")
    assert (event.target_label, event.before, event.after) == (
        "bob@acme.example",
        {"is_active": True},
        {"is_active": False},
    )


def test_a_deactivated_last_owner_is_warned_of(ada: Client, alice: Person, bob: Person) -> None:
    alices = f"/installation/accounts/user/{alice.user.pk}/change/"
    answered = ada.post(alices, {"is_staff": "", "is_superuser": ""}, follow=True)
    [warning] = [str(each) for each in answered.context["messages"] if each.level_tag == "warning"]
    assert warning.startswith("These organisations have no owner with an open account now: acme.")
    assert warning in html.unescape(text(answered))
    (event,) = events("person.rights_changed")
    assert event.after == {"is_active": False, "organisations_without_owner": ["acme"]}


def test_no_warning_for_an_owner_among_others_or_with_a_closed_account(ada: Client, alice: Person, bob: Person) -> None:
    with organisation_context(alice.organisation.pk):
        Membership.objects.filter(user=bob.user).update(role=Role.OWNER)
    for each, warnings in ((alice, 0), (bob, 1), (bob, 0)):
        page = f"/installation/accounts/user/{each.user.pk}/change/"
        answered = ada.post(page, {"is_staff": "", "is_superuser": ""}, follow=True)
        assert [each.level_tag for each in answered.context["messages"]].count("warning") == warnings


def test_only_superusers_give_rights(staff: Client, bob: Person) -> None:
    from django.contrib.auth.models import Permission

    sam = User.objects.get(email="sam@installation.example")
    sam.user_permissions.add(*Permission.objects.filter(content_type__app_label="accounts"))
    staff.post(f"/installation/accounts/user/{bob.user.pk}/change/", {"is_active": "on", "is_superuser": "on"})
    assert not User.objects.get(pk=bob.user.pk).is_superuser


def test_nobody_takes_their_own_rights(ada: Client) -> None:
    me = User.objects.get(email="ada@installation.example")
    ada.post(f"/installation/accounts/user/{me.pk}/change/", {})
    after = User.objects.get(pk=me.pk)
    assert (after.is_active, after.is_superuser) == (True, True)


def may_change_people(email: str) -> None:
    rights = Permission.objects.filter(codename__in=["view_user", "change_user"])
    User.objects.get(email=email).user_permissions.set(rights)


def test_nobody_sets_the_password_of_another(ada: Client, staff: Client, bob: Person) -> None:
    """Not of a superuser, which would make one of the staff a superuser; and of nobody without a trace."""
    may_change_people("sam@installation.example")
    new = {"password1": "quite another password", "password2": "quite another password", "usable_password": "true"}
    for client in (staff, ada):
        for person in (bob.user, User.objects.get(email="ada@installation.example")):
            client.post(f"/installation/accounts/user/{person.pk}/password/", new)
            person.refresh_from_db()
            assert person.check_password("a long enough password")


def test_staff_who_may_change_people_change_none_of_those_who_run_the_installation(
    ada: Client, staff: Client, bob: Person
) -> None:
    may_change_people("sam@installation.example")
    superuser = User.objects.get(email="ada@installation.example")
    assert staff.post(f"/installation/accounts/user/{superuser.pk}/change/", {}).status_code == 403
    assert staff.post(f"/installation/accounts/user/{bob.user.pk}/change/", {}).status_code == 302
    superuser.refresh_from_db()
    bob.user.refresh_from_db()
    assert (superuser.is_active, bob.user.is_active) == (True, False)


def test_one_s_own_password_is_changed_on_the_page_of_the_application(ada: Client) -> None:
    assert ada.post("/installation/password_change/", {}).headers["Location"] == "/account"


def test_the_list_of_organisations_costs_the_same_queries_however_many_there_are(ada: Client, scene: Any) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert ada.get("/installation/accounts/organisation/").status_code == 200
        return len(captured)

    queries()  # the session notes once in a while that it was seen
    before = queries()
    for each in range(20):
        founded(f"more-{each}", f"More {each}")
    assert queries() == before
    assert '<td class="field-open_runs">1</td>' in text(ada.get("/installation/accounts/organisation/?q=acme"))


def test_an_own_runner_is_given_and_removed_with_an_event_for_each(ada: Client, alice: Person, settings: Any) -> None:
    settings.POOLS = 1
    acme = alice.organisation
    page = f"/installation/accounts/organisation/{acme.pk}/change/"
    form = {"name": "Acme", "memberships-TOTAL_FORMS": 0, "memberships-INITIAL_FORMS": 0}
    assert "shares 1 pooled runner with others" in text(ada.get(page))
    refused = ada.post(page, {**form, "cores": 1})
    assert "Only a runner of its own has a size" in html.unescape(text(refused))
    assert ada.post(page, {**form, "own_runner": "on", "heap_mb": 4_096}).status_code == 302
    assert 'value="4096"' in text(ada.get(page))
    assert '<td class="field-runner">its own</td>' in text(ada.get("/installation/accounts/organisation/?q=acme"))
    assert ada.post(page, form).status_code == 302
    with organisation_context(acme.pk):
        assert not OwnRunner.objects.exists()
        SeatInPool(pool=1).save()
    assert '<td class="field-runner">pool 1</td>' in text(ada.get("/installation/accounts/organisation/?q=acme"))
    size = {"heap_mb": 4_096, "worker_mb": None, "cores": None}
    entries = [(each.actor_label, each.before, each.after) for action in GIVEN for each in events(action)]
    assert entries == [("ada@installation.example", None, size), ("ada@installation.example", size, None)]


def test_the_page_of_a_run_says_with_how_many_it_shares_its_runner_and_not_with_whom(
    scene: Any, charlie: Person, settings: Any
) -> None:
    def runner() -> Any:
        answered = scene.person.get(f"runs/{scene.run_id}/")
        assert str(charlie.organisation.pk) not in text(answered)
        return answered.json()["runner"]

    assert runner() == {"shared": False, "others": 0}
    settings.POOLS = 1
    assert runner() == {"shared": True, "others": 0}
    for each in (charlie, scene.person):
        with organisation_context(each.organisation.pk):
            SeatInPool(pool=1).save()
    assert runner() == {"shared": True, "others": 1}
    scene.stop()
    scene.turn()
    assert runner() is None
