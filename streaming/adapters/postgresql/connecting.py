"""A connection to PostgreSQL at a checked address, and messages for its errors."""

import ssl
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpcore
import psycopg

from streaming.adapters.contract import AdapterError
from streaming.adapters.network.dialing import checked_addresses
from streaming.adapters.network.fetching import Reach
from streaming.adapters.postgresql.connection_options import PostgreSQLConnectionOptions

CONNECT_S: Final = 10
SILENT_MS: Final = 30_000
"""The longest time that a server may leave data unacknowledged."""
STATEMENT_MS: Final = 60_000
LOCK_MS: Final = 20_000
_SETTINGS: Final = {"statement_timeout": str(STATEMENT_MS), "lock_timeout": str(LOCK_MS), "timezone": "UTC"}
OLDEST: Final = 150_000
"""Version 15: its unique indexes can treat two nulls as the same."""
_TLS_MODE: Final = {"verify": "verify-full", "encrypt": "require", "off": "disable"}
_TEXTS: Final[tuple[tuple[str, str, str], ...]] = (
    ("password authentication failed", "user", "refuses the user or the password. Correct them."),
    ("no password supplied", "user", "requires a password. Enter one."),
    ("pg_hba.conf", "user", "refuses this user from this address (pg_hba.conf). Contact its administrator."),
    (
        "certificate verify failed",
        "external",
        "can't prove its identity: its certificate is not from a trusted authority.",
    ),
    ("server certificate for", "external", "can't prove its identity: its certificate is for another name."),
    ("does not support SSL", "user", "does not speak TLS. Enable it there, or choose TLS off."),
    ("starting up", "external", "is starting."),
    ("shutting down", "external", "is shutting down."),
    ("too many", "external", "has no connection left."),
    ("remaining connection slots", "external", "has no connection left."),
)
Explanations = Sequence[tuple[str, str, str]]
"""The prefix of a SQLSTATE, the domain of the error, and a text that follows the server; the first match counts."""
_STATES: Final[Explanations] = (
    ("28", "user", "refuses the user or the password. Correct them."),
    ("3D000", "user", "has no database of that name. Correct it."),
    ("42501", "user", "refuses a right that this user needs: {detail}. Grant it."),
    ("3F000", "user", "has no such schema. Correct it, or create it."),
    ("42", "user", "refuses the query of its table: {detail}. Choose another table or fix this one."),
    ("25006", "external", "accepts no writes at the moment: it is a standby."),
    ("53", "external", "lacks disk space, memory or connections: {detail}."),
    ("57014", "external", "took longer than a minute for one statement. It is retried."),
    ("55P03", "external", "has the table locked by another transaction. It is retried; end that transaction."),
    ("40", "external", "aborted the transaction because of a conflicting one."),
)


@contextmanager
def translate_errors(options: PostgreSQLConnectionOptions, explanations: Explanations = ()) -> Iterator[None]:
    """Convert errors of the driver to `AdapterError`; `explanations` take precedence over the general ones."""
    try:
        yield
    except psycopg.Error as error:
        raise _meaning(error, options, explanations) from None


def connect(
    options: PostgreSQLConnectionOptions, reach: Reach, settings: Mapping[str, str] | None = None
) -> "psycopg.Connection[Any]":
    """Connect to the first address of the host that answers and that the installation allows.

    `settings` are session settings in addition to time limits and the zone UTC; their values have no spaces. Raises
    `AdapterError`; an unknown name, a forbidden network and silence have the same message.
    """
    plain = options.tls == "off"
    try:
        addresses = checked_addresses(options.host, options.port, reach.policy, plain=plain, resolve=reach.resolve)
    except httpcore.ConnectError:
        raise _unreachable(options) from None
    with _authority(options, reach) as authority, translate_errors(options):
        connection = psycopg.connect(
            host=",".join([options.host] * len(addresses)),
            hostaddr=",".join(str(each) for each in addresses),
            port=options.port,
            dbname=options.database,
            user=options.user,
            password=None if options.password is None else options.password.get_secret_value(),
            passfile="/dev/null/none",  # this machine's own credentials are never used
            gssencmode="disable",
            sslmode=_TLS_MODE[options.tls],
            sslrootcert=authority,
            sslcertmode="disable",
            connect_timeout=CONNECT_S,
            tcp_user_timeout=SILENT_MS,
            keepalives_idle=10,  # a client waiting for rows sends nothing that could stay unacknowledged
            keepalives_interval=5,
            keepalives_count=4,
            application_name="Punctual",
            client_encoding="UTF8",
            options=" ".join(f"-c {name}={value}" for name, value in {**_SETTINGS, **(settings or {})}.items()),
        )
    if connection.info.server_version < OLDEST:
        connection.close()
        raise AdapterError(f"{where(options)} is older than version 15. Use a newer one.")
    return connection


@contextmanager
def _authority(options: PostgreSQLConnectionOptions, reach: Reach) -> Iterator[str | None]:
    """The path of the certificates that libpq trusts: the authority in the options, else those of this process."""
    if options.tls != "verify":
        yield None
        return
    known = reach.trust().get_ca_certs(binary_form=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "authorities.pem")
        path.write_text(options.authority or "".join(map(ssl.DER_cert_to_PEM_cert, known)))
        yield str(path)


def _meaning(error: psycopg.Error, options: PostgreSQLConnectionOptions, explanations: Explanations) -> AdapterError:
    detail = (error.diag.message_primary or "").rstrip(".")
    for state, domain, text in (*explanations, *_STATES):
        if error.sqlstate is not None and error.sqlstate.startswith(state):
            return AdapterError(f"{where(options)} {text.format(detail=detail)}", domain=domain)
    text = str(error)
    if f'database "{options.database}" does not exist' in text:
        return AdapterError(f"{where(options)} has no database of that name. Correct it.")
    if f'role "{options.user}" does not exist' in text:
        return AdapterError(f"{where(options)} refuses the user or the password. Correct them.")
    for words, domain, explanation in _TEXTS:
        if words in text:
            return AdapterError(f"{where(options)} {explanation}", domain=domain)
    if error.sqlstate is not None and not isinstance(error, psycopg.OperationalError):
        return AdapterError(f"{where(options)} refuses: {detail} ({error.sqlstate}).")
    return _unreachable(options)


def _unreachable(options: PostgreSQLConnectionOptions) -> AdapterError:
    return AdapterError(
        f"{where(options)} can't be reached: it does not answer, or its network or port is not allowed here. Correct "
        "the address, or ask your administrator to allow its network (PUNCTUAL_OUTGOING_NETWORKS).",
        domain="external",
    )


def where(options: PostgreSQLConnectionOptions) -> str:
    """The server as messages name it."""
    return f"PostgreSQL at {options.host}:{options.port}"
