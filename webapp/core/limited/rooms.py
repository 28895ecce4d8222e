"""The apps whose models limited processes load, without their registrations in the web application."""

from django.apps import AppConfig


class Core(AppConfig):
    """Only `webapp.core`."""

    name = "webapp.core"


class Audit(AppConfig):
    """Only `webapp.audit`."""

    name = "webapp.audit"


class Accounts(AppConfig):
    """Only `webapp.accounts`."""

    name = "webapp.accounts"


class Streams(AppConfig):
    """Only `webapp.streams`."""

    name = "webapp.streams"


class Queries(AppConfig):
    """Only `webapp.queries`."""

    name = "webapp.queries"


class Runs(AppConfig):
    """Only `webapp.runs`."""

    name = "webapp.runs"


class Boards(AppConfig):
    """Only `webapp.boards`."""

    name = "webapp.boards"
