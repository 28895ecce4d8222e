"""The web application: accounts, streams, queries, runs and their live pages, over Django."""

from webapp.celery import app as celery_app

__all__ = ["celery_app"]
