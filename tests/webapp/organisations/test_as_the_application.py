"""On a real PostgreSQL, under the application's own role, invitations hold too, and people may act at once."""

from tests.postgresql import PostgreSQL
from tests.webapp.rows import application

HERE = "tests/webapp/organisations"


def test_invitations_hold_on_postgresql_and_at_once(postgresql: PostgreSQL) -> None:
    files = [f"{HERE}/{name}.py" for name in ("test_invitations", "races_on_postgresql")]
    done = application.run_as_application(postgresql, files)
    assert done.returncode == 0, done.stdout[-6_000:] + done.stderr[-1_000:]
