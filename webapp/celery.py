"""The Celery application of `punctual-serve worker` and `punctual-serve beat`."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

app = Celery("punctual")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(
    ["webapp.runs", "webapp.scenarios", "webapp.monitoring", "webapp.alerts", "webapp.administration"]
)
