"""Invitations: their use, their end, and that they reveal nothing to others."""

import logging
from datetime import timedelta
from smtplib import SMTPServerDisconnected
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from tests.webapp.accounts.test_tokens import program
from tests.webapp.conftest import Person
from tests.webapp.organisations.conftest import accept, delete, invited, look, newest_text, roles, visitor
from webapp.accounts.invitations import find
from webapp.accounts.models import Invitation, Membership, Organisation, OrganisationLimit
from webapp.accounts.permissions import Role
from webapp.audit.models import AuditEvent
from webapp.core.context import organisation_context


def invite(by: Person, email: str = "dora@acme.example", role: str = "designer") -> Any:
    return by.post("invitations/", {"email": email, "role": role})


def expire(by: Person) -> None:
    """Let the days of every invitation of the organisation be over."""
    with organisation_context(by.organisation.pk):
        Invitation.objects.update(expires_at=timezone.now())


def test_the_mail_names_organisation_role_and_person_and_the_address_of_the_settings(
    alice: Person, settings: Any
) -> None:
    settings.ADDRESS_OF_PAGES = "https://punctual.example"
    answered, text = invited(alice)
    (sent,) = mail.outbox
    assert sent.to == ["dora@acme.example"]
    assert sent.subject == "alice@acme.example invites you to Acme on Punctual"
    assert f"\nhttps://punctual.example/invitation#{text}\n" in sent.body
    assert "as designer" in sent.body
    assert (answered["state"], answered["message"]) == ("open", None)
    assert answered["sent_at"] is not None


def test_a_name_with_html_characters_is_unchanged_in_the_mail_and_one_line_in_the_subject(alice: Person) -> None:
    with organisation_context(alice.organisation.pk):
        Organisation.objects.update(name="R&D <north>\nBcc: x@y.example")
    invited(alice)
    assert mail.outbox[0].subject == "alice@acme.example invites you to R&D <north> Bcc: x@y.example on Punctual"
    assert mail.outbox[0].bcc == []


def test_who_holds_the_text_sees_what_it_is_for_without_signing_in(alice: Person) -> None:
    _, text = invited(alice)
    seen = look(text).json()
    assert {**seen, "expires_at": ""} == {
        "organisation": "Acme",
        "slug": "acme",
        "email": "dora@acme.example",
        "role": "designer",
        "invited_by": "alice@acme.example",
        "expires_at": "",
    }


def test_only_a_valid_text_opens_sign_up_in_that_session(alice: Person, settings: Any) -> None:
    settings.SIGN_UP = "invitation"
    _, text = invited(alice)
    client = Client()
    look(text + "0", client)
    assert client.get("/api/sign-in/").json()["sign_up"] is False
    look(text, client)
    assert client.get("/api/sign-in/").json()["sign_up"] is True
    assert Client().get("/api/sign-in/").json()["sign_up"] is False


def test_who_verified_the_address_joins_in_the_role(alice: Person, dora: Person) -> None:
    _, text = invited(alice)
    answered = accept(dora, text)
    assert (answered.status_code, answered.json()["slug"], answered.json()["role"]) == (200, "acme", "designer")
    assert roles(dora)["dora@acme.example"] == "designer"
    assert alice.get("invitations/").json() == []


def test_the_address_may_be_written_otherwise(alice: Person, dora: Person) -> None:
    _, text = invited(alice, email="  Dora@ACME.example ")
    assert accept(dora, text).status_code == 200


def test_accepting_twice_is_the_same_as_once(alice: Person, dora: Person) -> None:
    _, text = invited(alice)
    assert accept(dora, text).json() == accept(dora, text).json()
    assert roles(alice) == {"alice@acme.example": "owner", "dora@acme.example": "designer"}


def test_an_accepted_text_does_not_bring_back_who_was_removed(alice: Person, dora: Person) -> None:
    _, text = invited(alice)
    accept(dora, text)
    with organisation_context(alice.organisation.pk):
        Membership.objects.filter(user=dora.user).delete()
    assert accept(dora, text).status_code == 404
    assert dora.get("members/").status_code == 404


def test_another_verified_address_does_not_join(alice: Person, charlie: Person) -> None:
    _, text = invited(alice)
    answered = accept(charlie, text)
    assert (answered.status_code, answered.json()["code"]) == (403, "forbidden")
    assert charlie.client.get("/api/t/acme/streams/").status_code == 404


def test_the_right_address_unverified_does_not_join(alice: Person, dora: Person, charlie: Person) -> None:
    EmailAddress.objects.filter(user=dora.user).update(verified=False)
    EmailAddress.objects.create(user=charlie.user, email="dora@acme.example", verified=False)
    _, text = invited(alice)
    assert [accept(each, text).status_code for each in (dora, charlie)] == [403, 403]


def test_a_second_verified_address_joins(alice: Person, charlie: Person) -> None:
    EmailAddress.objects.create(user=charlie.user, email="charlie@acme.example", verified=True)
    _, text = invited(alice, email="charlie@acme.example")
    assert accept(charlie, text).status_code == 200


def test_a_member_who_accepts_by_another_address_keeps_the_role(alice: Person, bob: Person) -> None:
    EmailAddress.objects.create(user=bob.user, email="robert@acme.example", verified=True)
    _, text = invited(alice, email="robert@acme.example", role="admin")
    assert accept(bob, text).json()["role"] == "viewer"


@pytest.mark.parametrize("change", ["forged", "other key", "nothing", "no text", "nul"])
def test_what_was_not_sent_opens_nothing(change: str, alice: Person, dora: Person) -> None:
    _, text = invited(alice)
    prefix, key_id, secret = text.split("_")
    wrong = {
        "forged": f"{prefix}_{key_id}_{secret[:-1]}{'0' if secret[-1] != '0' else '1'}",
        "other key": f"{prefix}_{'0' * 12}_{secret}",
        "nothing": f"{prefix}_{key_id}_",
        "no text": "pct_a_b",
        "nul": "inv_\u00e9_\u2028",
    }[change]
    answers = [look(wrong), accept(dora, wrong)]
    assert [(each.status_code, each.json()["code"]) for each in answers] == [(404, "not_found")] * 2
    assert answers[0].content == answers[1].content


def test_revoked_replaced_expired_and_used_are_refused_by_one_sentence(alice: Person, dora: Person) -> None:
    revoked, revoked_text = invited(alice, email="a@acme.example")
    assert delete(alice, f"invitations/{revoked['id']}/").status_code == 204
    replaced, replaced_text = invited(alice, email="b@acme.example")
    assert alice.post(f"invitations/{replaced['id']}/resend/").status_code == 200
    _, used_text = invited(alice)
    accept(dora, used_text)
    _, expired_text = invited(alice, email="c@acme.example")
    answers = [look(each) for each in (revoked_text, replaced_text, used_text)]
    expire(alice)
    answers.append(look(expired_text))
    assert {(each.status_code, each.content) for each in answers} == {(404, look("inv_0_0").content)}


def test_an_invitation_holds_to_the_end_of_its_seven_days(
    alice: Person, dora: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, text = invited(alice)
    with organisation_context(alice.organisation.pk):
        ends = Invitation.objects.get().expires_at
        begun = Invitation.objects.get().created_at
    assert ends - begun == timedelta(days=7)
    monkeypatch.setattr(timezone, "now", lambda: ends - timedelta(microseconds=1))
    assert find(text) is not None
    monkeypatch.setattr(timezone, "now", lambda: ends)
    assert find(text) is None
    assert look(text).status_code == 404


def test_an_expired_invitation_stays_in_the_list(alice: Person) -> None:
    invited(alice)
    expire(alice)
    assert [each["state"] for each in alice.get("invitations/").json()] == ["expired"]


def test_a_resent_invitation_has_a_new_text_and_new_days(alice: Person, dora: Person) -> None:
    first, _ = invited(alice)
    expire(alice)
    again = alice.post(f"invitations/{first['id']}/resend/").json()
    assert (again["id"], again["state"]) == (first["id"], "open")
    assert again["expires_at"] > first["expires_at"]
    assert accept(dora, newest_text()).status_code == 200


def test_an_expired_invitation_makes_room_for_a_new_one_of_the_same_address(alice: Person) -> None:
    invited(alice)
    assert invite(alice).status_code == 409
    expire(alice)
    assert invite(alice, role="viewer").status_code == 201
    assert [each["role"] for each in alice.get("invitations/").json()] == ["viewer"]


def test_a_member_is_not_invited(alice: Person, bob: Person) -> None:
    answered = invite(alice, email="BOB@acme.example")
    assert (answered.status_code, answered.json()["code"]) == (409, "conflict")
    assert mail.outbox == []


def test_known_and_unknown_addresses_are_invited_alike(alice: Person, charlie: Person) -> None:
    alice.get("invitations/")
    with CaptureQueriesContext(connection) as for_known:
        known = invite(alice, email="charlie@zeta.example")
    with CaptureQueriesContext(connection) as for_unknown:
        unknown = invite(alice, email="nobody@zeta.example")
    assert known.status_code == unknown.status_code == 201
    own = {"id", "email", "created_at", "sent_at", "expires_at"}
    assert {k: v for k, v in known.json().items() if k not in own} == {
        k: v for k, v in unknown.json().items() if k not in own
    }
    assert len(for_known) == len(for_unknown)


@pytest.mark.parametrize("email", ["", "dora", "dora@", "a@b.example\nBcc: c@d.example", "a b@c.example"])
def test_what_is_no_address_is_refused_with_the_field(email: str, alice: Person) -> None:
    answered = invite(alice, email=email)
    assert (answered.status_code, [each["field"] for each in answered.json()["faults"]]) == (422, ["email"])


def test_an_admin_invites_every_role_but_owner_and_leaves_invitations_of_owners_alone(
    alice: Person, ada: Person
) -> None:
    assert invite(ada, email="x@acme.example", role="admin").status_code == 201
    assert invite(ada, email="y@acme.example", role="owner").status_code == 403
    owners, _ = invited(alice, email="y@acme.example", role="owner")
    assert ada.post(f"invitations/{owners['id']}/resend/").status_code == 403
    assert delete(ada, f"invitations/{owners['id']}/").status_code == 403
    assert {each["email"] for each in ada.get("invitations/").json()} == {"x@acme.example", "y@acme.example"}


def test_a_failing_mail_server_is_reported_and_the_invitation_can_be_sent_again(
    alice: Person, dora: Person, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: Any) -> None:
        raise SMTPServerDisconnected("not now")

    with monkeypatch.context() as patched:
        patched.setattr("django.core.mail.EmailMessage.send", fail)
        answered = invite(alice)
    assert (answered.status_code, answered.json()["sent_at"]) == (201, None)
    assert "Send it again" in answered.json()["message"]
    assert "dora" not in caplog.text
    again = alice.post(f"invitations/{answered.json()['id']}/resend/").json()
    assert (again["message"], again["sent_at"] is not None) == (None, True)
    assert accept(dora, newest_text()).status_code == 200


def test_members_and_invitations_share_the_room_for_members(alice: Person, bob: Person) -> None:
    with organisation_context(alice.organisation.pk):
        OrganisationLimit(quota="members", value=3).save()
    first, _ = invited(alice, email="x@acme.example")
    full = invite(alice, email="y@acme.example")
    assert (full.status_code, full.json()["code"]) == (409, "over_quota")
    assert "3 of 3" in full.json()["message"]
    delete(alice, f"invitations/{first['id']}/")
    assert invite(alice, email="y@acme.example").status_code == 201


def test_an_expired_invitation_takes_no_room_and_is_not_sent_again_without_it(alice: Person) -> None:
    with organisation_context(alice.organisation.pk):
        OrganisationLimit(quota="members", value=2).save()
    first, _ = invited(alice, email="x@acme.example")
    expire(alice)
    invited(alice, email="y@acme.example")
    assert alice.post(f"invitations/{first['id']}/resend/").json()["code"] == "over_quota"


def test_nobody_joins_above_a_limit_that_was_lowered(alice: Person, dora: Person) -> None:
    _, text = invited(alice)
    with organisation_context(alice.organisation.pk):
        OrganisationLimit(quota="members", value=1).save()
    assert accept(dora, text).json()["code"] == "over_quota"


def test_nobody_is_invited_and_nobody_joins_while_the_organisation_is_to_be_deleted(
    alice: Person, dora: Person
) -> None:
    first, text = invited(alice)
    assert alice.post("organisation/deletion/", {"slug": "acme"}).status_code == 200
    answers = [
        accept(dora, text),
        invite(alice, email="x@acme.example"),
        alice.post(f"invitations/{first['id']}/resend/"),
    ]
    assert [each.status_code for each in answers] == [409, 409, 409]
    assert delete(alice, "organisation/deletion/").status_code == 200
    assert accept(dora, text).status_code == 200


def test_neither_a_token_nor_nobody_accepts(alice: Person) -> None:
    _, text = invited(alice)
    caller = program(alice, role="owner")
    assert caller.post("/api/invitations/accept/", {"token": text}).status_code == 403
    anonymous = Client().post("/api/invitations/accept/", {"token": text}, content_type="application/json")
    assert anonymous.status_code == 401


def test_looks_are_counted(alice: Person) -> None:
    statuses = [look("inv_0_0").status_code for _ in range(31)]
    assert statuses == [404] * 30 + [429]


def test_the_secret_is_in_the_mail_and_nowhere_else(
    alice: Person, dora: Person, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with CaptureQueriesContext(connection) as captured:
        answered, text = invited(alice)
        listed = alice.get("invitations/")
        accepted = accept(dora, text)
    secret = text.split("_")[2]
    with organisation_context(alice.organisation.pk):
        kept = str([*Invitation.objects.values(), *AuditEvent.objects.values()])
    queries = str(captured.captured_queries)
    for place in (str(answered), listed.content.decode(), accepted.content.decode(), caplog.text, kept, queries):
        assert secret not in place


def test_every_step_of_an_invitation_is_recorded(alice: Person, dora: Person) -> None:
    first, _ = invited(alice)
    alice.post(f"invitations/{first['id']}/resend/")
    accept(dora, newest_text())
    second, _ = invited(alice, email="x@acme.example", role="viewer")
    delete(alice, f"invitations/{second['id']}/")
    with organisation_context(alice.organisation.pk):
        events = [(each.action, each.actor_label, each.target_label) for each in AuditEvent.objects.order_by("at")]
    a, d, x = "alice@acme.example", "dora@acme.example", "x@acme.example"
    assert events == [
        ("invitation.created", a, d),
        ("invitation.resent", a, d),
        ("member.joined", d, d),
        ("invitation.accepted", d, d),
        ("invitation.created", a, x),
        ("invitation.revoked", a, x),
    ]


def test_charlie_neither_resends_nor_revokes_by_id(alice: Person, charlie: Person) -> None:
    first, _ = invited(alice)
    for slug in ("acme", "zeta"):
        path = f"/api/t/{slug}/invitations/{first['id']}/"
        assert charlie.client.post(f"{path}resend/").status_code == 404
        assert charlie.client.delete(path).status_code == 404
    assert charlie.get("invitations/").json() == []


def test_who_has_no_role_here_cannot_invite(alice: Person, bob: Person) -> None:
    stranger = visitor("eve@evil.example", alice.organisation)
    assert (invite(stranger).status_code, invite(bob).status_code) == (404, 403)
    assert Role(roles(alice)["bob@acme.example"]) is Role.VIEWER
