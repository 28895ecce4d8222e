"""The second wall holds on a real PostgreSQL, under the role that an installation's application has."""

from tests.postgresql import PostgreSQL
from tests.webapp.rows.application import run_as_application

HERE = "tests/webapp/rows"


def test_nothing_crosses_the_wall_and_nothing_wanders_in_it(postgresql: PostgreSQL) -> None:
    files = [f"{HERE}/{name}_on_postgresql.py" for name in ("tables", "contexts", "roles")]
    done = run_as_application(postgresql, files)
    assert done.returncode == 0, done.stdout[-4_000:] + done.stderr[-1_000:]
