"""The rooms whose models limited processes know, without what they register in the web application."""

from django.apps import AppConfig


class Core(AppConfig):
    """`webapp.core` alone."""

    name = "webapp.core"


class Audit(AppConfig):
    """`webapp.audit` alone."""

    name = "webapp.audit"


class Accounts(AppConfig):
    """`webapp.accounts` alone."""

    name = "webapp.accounts"


class Streams(AppConfig):
    """`webapp.streams` alone."""

    name = "webapp.streams"


class Queries(AppConfig):
    """`webapp.queries` alone."""

    name = "webapp.queries"


class Runs(AppConfig):
    """`webapp.runs` alone."""

    name = "webapp.runs"
