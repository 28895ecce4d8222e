"""Turns, the outbox and kills on a real PostgreSQL too, with the application's role and its row-level security."""

from tests.postgresql import PostgreSQL
from tests.webapp.application_role import run_as_application

HERE = "tests/webapp/alerts"


def test_alerts_are_decided_and_sent_the_same_on_postgresql(postgresql: PostgreSQL) -> None:
    done = run_as_application(
        postgresql, [f"{HERE}/test_{name}.py" for name in ("turn", "outbox", "kills", "incidents", "annotations")]
    )
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-1_000:]
