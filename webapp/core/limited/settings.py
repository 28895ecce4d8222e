"""Settings of the limited processes: the models of the application without a database, and without any secret."""

from pathlib import Path

from streaming.wire.outgoing import NOTHING

BASE_DIR = Path(__file__).resolve().parents[3]
SECRET_KEY = "none: nothing is signed in a limited process"  # nosec B105 # a sentence, no password
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "webapp.core.limited.rooms.Core",
    "webapp.core.limited.rooms.Audit",
    "webapp.core.limited.rooms.Accounts",
    "webapp.core.limited.rooms.Streams",
    "webapp.core.limited.rooms.Queries",
    "webapp.core.limited.rooms.Runs",
    "webapp.core.limited.rooms.Boards",
]
DATABASES: dict[str, dict[str, str]] = {}
AUTH_USER_MODEL = "accounts.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
USE_TZ = True
PUNCTUAL_DATA = Path("/nonexistent")
"""Each job sends the folder that it may read."""
OUTGOING = NOTHING
SECRETS_KEYS: list[str] = []
IN_LIMITED_PROCESS = True
LIMITED_JOBS = (
    "webapp.core.limited.judging",
    "webapp.streams.adapters",
    "webapp.streams.checking",
    "webapp.streams.inferring",
    "webapp.streams.pushed_bodies",
    "webapp.uploads.examining",
    "webapp.queries.texts",
    "webapp.queries.jobs",
    "webapp.queries.simulation.simulating",
    "webapp.queries.preflights",
    "webapp.queries.comparison.comparing",
    "webapp.runs.starts.carrying",
    "webapp.runs.inputs.checking",
    "webapp.runs.outputs.delivered_rows",
    "webapp.runs.inputs.footprint_jobs",
    "webapp.runs.outputs.given_outputs",
    "webapp.runs.starts.held_inputs",
    "webapp.runs.outputs.output_checks",
    "webapp.bundles.modules",
    "webapp.bundles.planning",
    "webapp.bundles.transcripts",
    "webapp.samples.reading_again",
    "webapp.samples.repair_job",
    "webapp.samples.replay_job",
    "webapp.samples.why_job",
    "webapp.samples.taking",
    "webapp.alerts.backtest_job",
    "webapp.live.what_if.job",
    "webapp.scenarios.jobs",
    "webapp.monitoring.exporting.job",
    "webapp.monitoring.subscribing.current",
    "webapp.scenarios.own_streams_jobs",
)
"""The modules that register jobs."""
