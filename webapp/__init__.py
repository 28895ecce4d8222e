"""The web application: accounts, streams, queries, runs and their live pages, over Django."""

try:
    from webapp.celery import app as celery_app
except ModuleNotFoundError as error:
    if error.name != "celery":  # a runner, and `make up` before it has installed anything, need `webapp.variables` only
        raise
else:
    __all__ = ["celery_app"]
