"""The table of variables: name, default, meaning, and the processes that use it.

`webapp.settings` reads the environment by this table, and `deploy/CONFIGURATION.md` is printed from it. A variable that
isn't in the table doesn't exist: an unknown `PUNCTUAL_...` variable prevents the start.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from webapp.variables.quotas import QUOTAS


class Kind(StrEnum):
    """The type of a variable, as the page names it."""

    TEXT = "text"
    SWITCH = "0 or 1"
    NUMBER = "whole number"
    CHOICE = "one of"
    LIST = "list, separated by commas"
    PATH = "path"
    ADDRESS = "address"


class ServerRole(StrEnum):
    """A process of an installation, by its command `punctual-serve ROLE`."""

    WEB = "web"
    WORKER = "worker"
    BEAT = "beat"
    RUNNER = "runner"
    MIGRATE = "migrate"


SERVERS: Final = (ServerRole.WEB, ServerRole.WORKER, ServerRole.BEAT, ServerRole.MIGRATE)
"""The processes that load the settings of the web application."""
DATABASE: Final = (ServerRole.WEB, ServerRole.WORKER, ServerRole.MIGRATE)
TASKS: Final = (ServerRole.WEB, ServerRole.WORKER)
FILE: Final = "_FILE"
"""A secret NAME may be in a file instead, whose path is in NAME_FILE."""


@dataclass(frozen=True)
class Variable:
    """One variable; `default` is its text if it isn't set, empty without a default.

    `secret`: it is also read from the file in `{name}_FILE`, and no runner inherits it.
    """

    name: str
    meaning: str
    roles: tuple[ServerRole, ...] = SERVERS
    kind: Kind = Kind.TEXT
    default: str = ""
    choices: tuple[str, ...] = ()
    secret: bool = False


def _switch(name: str, meaning: str, roles: tuple[ServerRole, ...] = SERVERS) -> Variable:
    return Variable(name, meaning, roles, Kind.SWITCH, "0")


def _number(name: str, default: int, meaning: str, roles: tuple[ServerRole, ...] = TASKS) -> Variable:
    return Variable(name, meaning, roles, Kind.NUMBER, str(default))


PLACES: Final = (
    Variable(
        "PUNCTUAL_DATA",
        "The folder of all files: results, uploads, saved state. Web, worker and runners need the same folder. "
        "The default is `var` in the project's folder; a wheel has none.",
        (*SERVERS, ServerRole.RUNNER),
        Kind.PATH,
    ),
    Variable(
        "DATABASE_URL",
        "The PostgreSQL database, `postgresql://USER:PASSWORD@HOST:PORT/NAME`. Without it: SQLite in PUNCTUAL_DATA.",
        DATABASE,
        Kind.ADDRESS,
        secret=True,
    ),
    Variable(
        "REDIS_URL",
        "The Redis or Valkey server, version 6.2 or newer: redis://, rediss:// or unix://. Its user needs ACL SETUSER.",
        SERVERS,
        Kind.ADDRESS,
        "redis://127.0.0.1:6379/0",
        secret=True,
    ),
    Variable("PORT", "The port of the pages.", (ServerRole.WEB,), Kind.NUMBER, "8000"),
    Variable(
        "PUNCTUAL_ADDRESS_OF_PAGES",
        "The address of the pages in mails, and for a provider of OpenID Connect. The default is "
        "`http://127.0.0.1:PORT`.",
        TASKS,
        Kind.ADDRESS,
    ),
    Variable(
        "PUNCTUAL_RESULTS",
        "The location of new organisations' results, for example `s3://bucket/prefix?region=...`. Without it: "
        "PUNCTUAL_DATA.",
        TASKS,
        Kind.ADDRESS,
    ),
)
KEYS: Final = (
    Variable(
        "PUNCTUAL_SECRET_KEY",
        "Signs sessions and tokens: at least 50 random characters. Without DATABASE_URL it is generated once, into "
        "PUNCTUAL_DATA.",
        secret=True,
    ),
    Variable(
        "PUNCTUAL_SECRETS_KEYS",
        "Keys that encrypt the secrets of connections, newest first, at least 32 random characters each. Without "
        "DATABASE_URL one is generated, into PUNCTUAL_DATA. If you lose the keys, you lose the secrets.",
        kind=Kind.LIST,
        secret=True,
    ),
)
BROWSER: Final = (
    Variable(
        "PUNCTUAL_ALLOWED_HOSTS",
        "Host names under which browsers open the pages.",
        (ServerRole.WEB,),
        Kind.LIST,
        "127.0.0.1,localhost,[::1]",
    ),
    Variable(
        "PUNCTUAL_TRUSTED_ORIGINS",
        "Further origins that may send forms, for example https://punctual.example.",
        (ServerRole.WEB,),
        Kind.LIST,
    ),
    _switch(
        "PUNCTUAL_BEHIND_PROXY", "1: a proxy ends TLS and sets X-Forwarded-Proto in every request.", (ServerRole.WEB,)
    ),
    Variable(
        "PUNCTUAL_TRUSTED_PROXIES",
        "Networks of your proxies, whose X-Forwarded-For is believed, for example 10.0.0.0/8. Without it "
        "no such header is believed.",
        (ServerRole.WEB,),
        Kind.LIST,
    ),
    _number(
        "PUNCTUAL_REQUESTS_PER_SECOND",
        30,
        "Most requests of a person, a token and an address each second, over 10 s. 0: no limit.",
        (ServerRole.WEB,),
    ),
    _switch("PUNCTUAL_EMBEDDED", "1: an installation on your own machine, with plain HTTP and a demo sign-in."),
    _switch("PUNCTUAL_DEBUG", "1: pages with stack traces, for developers. Never in production."),
)
PEOPLE: Final = (
    Variable(
        "PUNCTUAL_SIGN_UP",
        "Who may make an account. The default is `open` with PUNCTUAL_EMBEDDED=1, otherwise `invitation`.",
        (ServerRole.WEB,),
        Kind.CHOICE,
        choices=("open", "invitation"),
    ),
    Variable(
        "PUNCTUAL_SMTP_URL",
        "The mail server: smtps://, smtp+starttls:// or smtp://, with user and password. Without it mail is printed "
        "to the log, and no address can be verified.",
        TASKS,
        Kind.ADDRESS,
        secret=True,
    ),
    Variable("PUNCTUAL_MAIL_FROM", "The sender of mails.", TASKS, default="Punctual <punctual@localhost>"),
    Variable("PUNCTUAL_OIDC_ISSUER", "The address of a provider of OpenID Connect.", (ServerRole.WEB,), Kind.ADDRESS),
    Variable("PUNCTUAL_OIDC_CLIENT_ID", "The client's id at that provider.", (ServerRole.WEB,)),
    Variable("PUNCTUAL_OIDC_CLIENT_SECRET", "The client's secret at that provider.", (ServerRole.WEB,), secret=True),
    Variable(
        "PUNCTUAL_OIDC_NAME", "The provider's name on the sign-in page.", (ServerRole.WEB,), default="OpenID Connect"
    ),
    _number("PUNCTUAL_MOST_ORGANISATIONS", 20, "Most organisations that a person may own; staff may own more."),
    _number("PUNCTUAL_DELETION_GRACE_DAYS", 14, "Days between the request to delete an organisation and its deletion."),
)
RUNNERS: Final = (
    Variable(
        "PUNCTUAL_RUNNERS",
        "`here`: the worker starts runners on its machine. `elsewhere`: a cluster or a service manager runs them.",
        TASKS,
        Kind.CHOICE,
        "here",
        choices=("here", "elsewhere"),
    ),
    _number("PUNCTUAL_MOST_RUNNERS", 8, "Most runners at a time; further runs wait for a place. 0: no limit."),
    _number("PUNCTUAL_POOLS", 0, "Pooled runners, for organisations without their own. 0: each has its own."),
    _number("PUNCTUAL_POOL_ORGANISATIONS", 200, "A pooled runner accepts no more organisations with work than this."),
    _number(
        "PUNCTUAL_STANDBY_RUNNERS",
        0,
        "Standby runners, 0.9 GB each: the first start takes 3 s instead of 20. `make up` sets 1.",
        (ServerRole.WORKER,),
    ),
    _number("PUNCTUAL_JVM_MEMORY_MB", 2_048, "The largest heap of a runner's JVM.", (ServerRole.WORKER,)),
    _number(
        "PUNCTUAL_WORKER_MEMORY_MB",
        1_024,
        "Most memory of a runner's Python worker above its size at the start. 0: no limit.",
        (ServerRole.WORKER,),
    ),
    Variable(
        "PUNCTUAL_OUTGOING_NETWORKS",
        "Networks (CIDR) that adapters may connect to besides the public internet, at every port, even without TLS.",
        TASKS,
        Kind.LIST,
    ),
    Variable(
        "PUNCTUAL_OUTGOING_PORTS",
        "Ports of the public internet that adapters may connect to.",
        TASKS,
        Kind.LIST,
        "443,8443",
    ),
    Variable(
        "PUNCTUAL_RUNNER_CONFIGURATION",
        "The runner's configuration, as `punctual-serve manage runnerconfiguration SLUG` prints it. Without it the "
        "runner reads its standard input.",
        (ServerRole.RUNNER,),
        secret=True,
    ),
)
STORAGE: Final = (
    _number("PUNCTUAL_DISK_RESERVE_MB", 1_024, "Free space that data of organisations never uses."),
    _number("PUNCTUAL_JOURNAL_EVENTS", 2_000, "Entries of each run's journal that are kept, the newest ones."),
    _number(
        "PUNCTUAL_KEEP_RESULTS_DAYS",
        0,
        "Days for which results and quarantine are kept. 0: until somebody deletes them.",
        TASKS,
    ),
)
LOGS: Final = (
    Variable(
        "PUNCTUAL_LOG_LEVEL",
        "The least severe level that is logged.",
        SERVERS,
        Kind.CHOICE,
        "INFO",
        choices=("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"),
    ),
    Variable(
        "PUNCTUAL_LOG_FORMAT",
        "`line`: readable lines. `json`: one JSON object for each record, also for lines of Spark and the JVM.",
        (*SERVERS, ServerRole.RUNNER),
        Kind.CHOICE,
        "line",
        choices=("line", "json"),
    ),
)
TELEMETRY: Final = (
    Variable(
        "PUNCTUAL_METRICS_TOKEN",
        "The token with which a monitoring system reads `/metrics`: at least 32 random characters. Without "
        "DATABASE_URL it is generated once, into `metrics_token` in PUNCTUAL_DATA; otherwise nobody reads `/metrics` "
        "without it.",
        (ServerRole.WEB,),
        secret=True,
    ),
)
LIMITS: Final = tuple(
    _number(f"PUNCTUAL_QUOTA_{name.upper()}", default, f"{meaning}, unless an administrator sets another limit.")
    for name, (default, meaning) in QUOTAS.items()
)
SECTIONS: Final = {
    "Places": PLACES,
    "Keys": KEYS,
    "Browsers and proxies": BROWSER,
    "People": PEOPLE,
    "Runners": RUNNERS,
    "Storage": STORAGE,
    "Logs": LOGS,
    "Telemetry": TELEMETRY,
    "Limits of an organisation": LIMITS,
}
VARIABLES: Final = {each.name: each for section in SECTIONS.values() for each in section}
OF_THE_CLIENT: Final = frozenset({"PUNCTUAL_ADDRESS", "PUNCTUAL_TOKEN", "PUNCTUAL_ORGANISATION"})
"""The variables of the command line client, whose shell may start an installation too."""
SECRETS: Final = OF_THE_CLIENT | {
    name for each in VARIABLES.values() if each.secret for name in (each.name, each.name + FILE)
}
"""The variables that no runner inherits; `webapp.runs.runners.launching` sends it what it needs on standard input."""
KNOWN: Final = frozenset({*VARIABLES, *(each.name + FILE for each in VARIABLES.values() if each.secret)})
