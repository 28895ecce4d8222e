"""Channels against real receivers on the loopback address: bodies, signatures, refusals, and the network policy."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any
from uuid import UUID

import pytest
from aiosmtpd.controller import Controller
from standardwebhooks import Webhook

from streaming.adapters.network.fetching import Reach
from streaming.wire.outgoing import NOTHING, OutgoingPolicy
from tests.https import Authority, Server, authority, redirects, sends, serving
from tests.ports import free_port
from webapp.alerts.channels import alertmanager, chat, email, pagerduty, webhook
from webapp.alerts.channels.kinds import KINDS
from webapp.alerts.channels.requests import NotSent, Sending
from webapp.alerts.notifications import Notification, NotifiedAlert

NEAR = OutgoingPolicy(networks=("127.0.0.1/32",))
ID = UUID(int=7)
AT = datetime(2026, 11, 26, 13, 46, tzinfo=UTC)
TICK = int(AT.timestamp()) * 1_000_000
SECRET = "whsec_" + base64.b64encode(b"planted secret of 24 bytes").decode()
SUBJECT = "11111111-1111-4111-8111-111111111111"


def alert(rule: str = "rows_lost", level: str = "page", status: str = "firing") -> NotifiedAlert:
    return NotifiedAlert.model_validate(
        {
            "rule": rule,
            "title": "Rows lost",
            "level": level,
            "status": status,
            "sentence": "toll_by_gate lost 2.3 % of its rows in 5 minutes <b>. Open its quarantine.",
            "value": "2.3 %",
            "since": TICK,
            "fired_at": TICK,
            "resolved_at": None if status == "firing" else TICK + 60_000_000,
        }
    )


def notification(*alerts: NotifiedAlert, kind: str = "alerts") -> Notification:
    return Notification.model_validate(
        {
            "kind": kind,
            "organisation": "Acme",
            "slug": "acme",
            "subject": SUBJECT,
            "name": "toll_by_gate",
            "link": "https://punctual.example/alerts",
            "at": TICK,
            "alerts": [dict(each) for each in alerts],
        }
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return authority(tmp_path_factory.mktemp("authority"))


@pytest.fixture
def server(made: Authority) -> Iterator[Server]:
    with serving(made) as running:
        running.answers["/hook"] = sends(b"ok")
        running.answers["/api/v2/alerts"] = sends(b"")
        yield running


@pytest.fixture
def sending(made: Authority) -> Sending:
    return Sending(ID, AT, made.reach(NEAR))


def bodies(server: Server) -> list[Any]:
    return [json.loads(each.body) for each in server.posted]


def test_a_webhook_is_signed_and_has_the_id_of_the_message(server: Server, sending: Sending) -> None:
    options = webhook.WebhookChannelOptions.model_validate(
        {"url": server.url("/hook"), "secret": SECRET, "token": "planted-t0ken"}
    )
    webhook.send(options, notification(alert()), sending)
    (posted,) = server.posted
    at_now = datetime.now(UTC)
    webhook.send(options, notification(alert()), Sending(ID, at_now, sending.reach))
    again = server.posted[1]
    Webhook(SECRET).verify(again.body, again.headers)
    assert posted.headers["webhook-id"] == again.headers["webhook-id"] == str(ID)
    assert posted.headers["authorization"] == "Bearer planted-t0ken"
    body = json.loads(posted.body)
    assert (body["type"], body["timestamp"]) == ("alerts", "2026-11-26T13:46:00.000Z")
    assert body["data"]["headline"] == "Page: toll_by_gate: Rows lost"
    assert body["data"]["alerts"][0]["fired_at"] == "2026-11-26T13:46:00.000Z"


def test_slack_gets_a_heading_and_escaped_sentences(server: Server, sending: Sending) -> None:
    options = chat.SlackOptions.model_validate({"url": server.url("/hook")})
    chat.send_to_slack(options, notification(alert()), sending)
    (body,) = bodies(server)
    assert body["text"] == "Page: toll_by_gate: Rows lost"
    assert body["blocks"][0] == {"type": "header", "text": {"type": "plain_text", "text": body["text"]}}
    assert "&lt;b&gt;" in body["blocks"][1]["text"]["text"]
    assert body["blocks"][2]["elements"][0]["text"] == "<https://punctual.example/alerts|Open the alerts>"


def test_teams_gets_an_adaptive_card(server: Server, sending: Sending) -> None:
    options = chat.TeamsOptions.model_validate({"url": server.url("/hook")})
    chat.send_to_teams(options, notification(alert(), alert(status="resolved", rule="lag")), sending)
    (body,) = bodies(server)
    (attachment,) = body["attachments"]
    assert body["type"] == "message"
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    assert attachment["content"]["type"] == "AdaptiveCard"
    assert [each["type"] for each in attachment["content"]["body"]] == ["TextBlock"] * 3


@pytest.mark.parametrize(
    ("alerts", "actions"),
    [
        ([alert()], ["trigger"]),
        ([alert(status="resolved")], ["resolve"]),
        ([alert(), alert(rule="lag", status="resolved")], ["trigger"]),
    ],
)
def test_pagerduty_has_one_incident_for_each_binding(
    server: Server, sending: Sending, alerts: list[NotifiedAlert], actions: list[str]
) -> None:
    options = pagerduty.PagerDutyOptions.model_validate({"routing_key": "planted" * 5, "url": server.url("/hook")})
    pagerduty.send(options, notification(*alerts), sending)
    found = bodies(server)
    assert [each["event_action"] for each in found] == actions
    assert {each["dedup_key"] for each in found} == {f"punctual/{SUBJECT}"}
    assert {each["routing_key"] for each in found} == {"planted" * 5}
    if actions == ["trigger"]:
        assert found[0]["payload"]["severity"] == "critical"
        assert {"summary", "source", "severity"} <= found[0]["payload"].keys()


def test_a_test_of_pagerduty_is_resolved_at_once(server: Server, sending: Sending) -> None:
    options = pagerduty.PagerDutyOptions.model_validate({"routing_key": "planted" * 5, "url": server.url("/hook")})
    pagerduty.send(options, notification(kind="test"), sending)
    assert [each["event_action"] for each in bodies(server)] == ["trigger", "resolve"]
    assert {each["dedup_key"] for each in bodies(server)} == {f"punctual/{SUBJECT}/test"}


def test_alertmanager_gets_an_alert_for_each_rule(server: Server, sending: Sending) -> None:
    options = alertmanager.AlertmanagerOptions.model_validate({"url": server.url("/")})
    alertmanager.send(options, notification(alert(), alert(rule="lag", status="resolved")), sending)
    ((firing, resolved),) = bodies(server)
    assert firing["labels"] == {
        "alertname": "rows_lost",
        "organisation": "acme",
        "binding": "toll_by_gate",
        "binding_id": SUBJECT,
    }
    assert firing["startsAt"] == "2026-11-26T13:46:00.000Z"
    assert firing["endsAt"] == "2026-12-26T13:46:00.000Z"
    assert (resolved["labels"]["alertname"], resolved["endsAt"]) == ("lag", "2026-11-26T13:47:00.000Z")


CHANNELS: dict[str, dict[str, Any]] = {
    "webhook": {"url": "{hook}", "secret": SECRET},
    "slack": {"url": "{hook}"},
    "teams": {"url": "{hook}"},
    "pagerduty": {"url": "{hook}", "routing_key": "planted" * 5},
    "alertmanager": {"url": "{base}", "token": "planted-t0ken"},
}


def send(kind: str, server: Server, sending: Sending, path: str = "/hook") -> None:
    base = server.url("").rstrip("/")
    options = {
        name: value.replace("{hook}", server.url(path)).replace("{base}", base)
        for name, value in CHANNELS[kind].items()
    }
    KINDS[kind].send(KINDS[kind].options.model_validate(options), notification(alert()), sending)


@pytest.mark.parametrize("kind", CHANNELS)
def test_a_refusal_names_the_answer_and_no_secret(server: Server, sending: Sending, kind: str) -> None:
    secrets = [SECRET, "planted" * 5, "planted-t0ken", server.url("/hook")]
    for path in ("/hook", "/api/v2/alerts"):
        server.answers[path] = sends(f"refused {' '.join(secrets)}".encode(), 500)
    with pytest.raises(NotSent) as refused:
        send(kind, server, sending)
    message = str(refused.value)
    assert "answers 500" in message
    own = [value for name, value in CHANNELS[kind].items() if name not in {"url"}]
    assert not any(value in message for value in own)
    if kind in {"slack", "teams"}:
        assert "/hook" not in message


@pytest.mark.parametrize("kind", CHANNELS)
def test_no_redirect_is_followed(server: Server, sending: Sending, kind: str) -> None:
    for path in ("/hook", "/api/v2/alerts"):
        server.answers[path] = redirects("http://169.254.169.254/latest")
    with pytest.raises(NotSent, match="Redirects are not followed"):
        send(kind, server, sending)


@pytest.mark.parametrize("kind", CHANNELS)
def test_a_network_that_is_not_allowed_is_never_reached(server: Server, made: Authority, kind: str) -> None:
    with pytest.raises(NotSent, match="can't be reached"):
        send(kind, server, Sending(ID, AT, made.reach(NOTHING)))
    assert server.posted == []


@pytest.mark.parametrize("kind", CHANNELS)
def test_a_channel_that_hangs_is_given_up(server: Server, made: Authority, kind: str) -> None:
    ticks = iter(range(0, 10_000, 20))
    near = made.reach(NEAR)
    reach = Reach(near.policy, near.resolve, near.trust, lambda: float(next(ticks)))
    with pytest.raises(NotSent, match=r"takes too long|can't be reached"):
        send(kind, server, Sending(ID, AT, reach))


class Mailbox:
    """A mail server that keeps what it accepts."""

    def __init__(self) -> None:
        self.mails: list[tuple[list[str], EmailMessage]] = []
        self.refuses = False

    async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:  # noqa: N802 - the name that aiosmtpd calls
        if self.refuses:
            return "550 mailbox unavailable"
        self.mails.append((envelope.rcpt_tos, message_from_bytes(envelope.content, policy=policy.default)))  # type: ignore[arg-type]
        return "250 OK"


@pytest.fixture
def mailbox(settings: Any) -> Iterator[Mailbox]:
    """A real mail server, which the installation sends to."""
    found = Mailbox()
    controller = Controller(found, hostname="127.0.0.1", port=free_port())
    controller.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", controller.port
    settings.MAIL_GOES_OUT = True
    yield found
    controller.stop()


def mail(*alerts: NotifiedAlert, to: str = "ops@acme.example") -> None:
    options = email.EmailOptions.model_validate({"to": to})
    email.send(options, notification(*alerts), Sending(ID, AT, Reach(NOTHING)))


def test_a_mail_has_the_sentences_and_the_id_of_the_message(mailbox: Mailbox) -> None:
    mail(alert(), alert(rule="lag", level="warn"))
    ((recipients, received),) = mailbox.mails
    assert recipients == ["ops@acme.example"]
    assert received["Subject"] == "Page: toll_by_gate: Rows lost and 1 more"
    assert received["Message-ID"] == f"<{ID}@punctual>"
    assert "Alerts: https://punctual.example/alerts" in received.get_content()


def test_a_mail_server_that_refuses_is_named(mailbox: Mailbox) -> None:
    mailbox.refuses = True
    with pytest.raises(NotSent, match="did not accept the mail"):
        mail(alert())


def test_without_a_mail_server_no_mail_counts_as_sent(settings: Any) -> None:
    settings.MAIL_GOES_OUT = False
    with pytest.raises(NotSent, match="PUNCTUAL_SMTP_URL"):
        mail(alert())


@pytest.mark.parametrize(
    "address",
    ["ops", "", ",", "a@b.example, ops@", "a b@c.example", "ops@c.example\nBcc: x@y.example", "<x@y.example>"],
)
def test_an_invalid_address_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"e-mail address|separated by commas"):
        email.EmailOptions.model_validate({"to": address})


def test_a_mail_goes_to_every_recipient(mailbox: Mailbox) -> None:
    mail(alert(), to="ops@acme.example, night@acme.example")
    ((recipients, _),) = mailbox.mails
    assert recipients == ["ops@acme.example", "night@acme.example"]
