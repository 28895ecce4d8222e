"""Quotas hold on a real PostgreSQL too, for the role of the application: also where several come at the same moment."""

from tests.postgresql import PostgreSQL
from tests.webapp.rows import application

HERE = "tests/webapp/quotas"


def test_quotas_are_the_same_on_postgresql_and_hold_at_the_same_moment(postgresql: PostgreSQL) -> None:
    names = ("races_on_postgresql", "test_limits", "test_previews", "test_runs", "test_kept")
    done = application.run_as_application(postgresql, [f"{HERE}/{name}.py" for name in names])
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
