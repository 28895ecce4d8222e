"""A Celery worker, which imports nothing but the application, knows every task that beat sends it."""

import json
import subprocess
import sys
from pathlib import Path

from django.conf import settings

_LIST = """
import json
from webapp.celery import app
app.loader.import_default_modules()
print(json.dumps(sorted(app.tasks)))
"""


def test_a_worker_knows_every_task_that_is_due_again_and_again(tmp_path: Path) -> None:
    env = {"PUNCTUAL_DATA": str(tmp_path), "PUNCTUAL_DEBUG": "1", "PATH": "/usr/bin:/bin"}
    listed = subprocess.run([sys.executable, "-c", _LIST], env=env, capture_output=True, text=True, check=False)
    assert listed.returncode == 0, listed.stderr
    known = json.loads(listed.stdout.splitlines()[-1])
    due = {each["task"] for each in settings.CELERY_BEAT_SCHEDULE.values()}
    assert due <= set(known)
