"""A connection to PostgreSQL at an address that was checked, and what its failures mean to a person."""

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
"""So long a server may leave what was sent unacknowledged."""
STATEMENT_MS: Final = 60_000
LOCK_MS: Final = 20_000
_SETTINGS: Final = {"statement_timeout": str(STATEMENT_MS), "lock_timeout": str(LOCK_MS), "timezone": "UTC"}
OLDEST: Final = 150_000
"""Version 15: in its unique indexes two nulls can be the same."""
_TLS_MODE: Final = {"verify": "verify-full", "encrypt": "require", "off": "disable"}
_SAID: Final[tuple[tuple[str, str, str], ...]] = (
    ("password authentication failed", "user", "refuses the user or the password. Correct them."),
    ("no password supplied", "user", "wants a password. Give one."),
    ("pg_hba.conf", "user", "does not let this user in from here (pg_hba.conf). Ask whoever runs it."),
    ("certificate verify failed", "external", "cannot prove who it is: its certificate is not of a known authority."),
    ("server certificate for", "external", "cannot prove who it is: its certificate is for another name."),
    ("does not support SSL", "user", "does not speak TLS. Have it switched on there, or choose TLS off."),
    ("starting up", "external", "is starting."),
    ("shutting down", "external", "is shutting down."),
    ("too many", "external", "has no connection left."),
    ("remaining connection slots", "external", "has no connection left."),
)
Says = Sequence[tuple[str, str, str]]
"""How a SQLSTATE begins, the domain of the failure, and what is said of the server; the first that fits counts."""
_STATES: Final[Says] = (
    ("28", "user", "refuses the user or the password. Correct them."),
    ("3D000", "user", "has no database of that name. Correct it."),
    ("42501", "user", "does not allow this user what is needed: {detail}. Have the right granted."),
    ("3F000", "user", "has no such schema. Correct it, or have it made."),
    ("42", "user", "refuses what was asked of its table: {detail}. Choose another table or mend this one."),
    ("25006", "external", "takes no writes for now: it is a standby."),
    ("53", "external", "has not enough room, memory or connections: {detail}."),
    ("57014", "external", "took longer than a minute for one statement. It is tried again."),
    ("55P03", "external", "has the table locked by somebody else. It is tried again; let their transaction end."),
    ("40", "external", "broke the transaction off because of another one."),
)


@contextmanager
def told(options: PostgreSQLConnectionOptions, says: Says = ()) -> Iterator[None]:
    """Turn what the driver raises into an `AdapterError` with a sentence, one of `says` before those of every use."""
    try:
        yield
    except psycopg.Error as error:
        raise _meaning(error, options, says) from None


def connect(
    options: PostgreSQLConnectionOptions, reach: Reach, settings: Mapping[str, str] | None = None
) -> "psycopg.Connection[Any]":
    """Connect to the first address of the host that answers, which the installation lets be reached.

    `settings` are those of the session, beside limits of time and the zone UTC; their values have no spaces. Raises
    `AdapterError`; a name that has no address, a network that is not allowed and silence are one sentence.
    """
    plain = options.tls == "off"
    try:
        addresses = checked_addresses(options.host, options.port, reach.policy, plain=plain, resolve=reach.resolve)
    except httpcore.ConnectError:
        raise _unreachable(options) from None
    with _authority(options, reach) as authority, told(options):
        connection = psycopg.connect(
            host=",".join([options.host] * len(addresses)),
            hostaddr=",".join(str(each) for each in addresses),
            port=options.port,
            dbname=options.database,
            user=options.user,
            password=None if options.password is None else options.password.get_secret_value(),
            passfile="/dev/null/none",  # nothing of this machine's signs in elsewhere
            gssencmode="disable",
            sslmode=_TLS_MODE[options.tls],
            sslrootcert=authority,
            sslcertmode="disable",
            connect_timeout=CONNECT_S,
            tcp_user_timeout=SILENT_MS,
            keepalives_idle=10,  # who waits for rows sends nothing that could stay unacknowledged
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
    """Where libpq finds whom to trust while it connects: the authority that is named, else whom this process trusts."""
    if options.tls != "verify":
        yield None
        return
    known = reach.trust().get_ca_certs(binary_form=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "authorities.pem")
        path.write_text(options.authority or "".join(map(ssl.DER_cert_to_PEM_cert, known)))
        yield str(path)


def _meaning(error: psycopg.Error, options: PostgreSQLConnectionOptions, says: Says) -> AdapterError:
    detail = (error.diag.message_primary or "").rstrip(".")
    for state, domain, said in (*says, *_STATES):
        if error.sqlstate is not None and error.sqlstate.startswith(state):
            return AdapterError(f"{where(options)} {said.format(detail=detail)}", domain=domain)
    text = str(error)
    if f'database "{options.database}" does not exist' in text:
        return AdapterError(f"{where(options)} has no database of that name. Correct it.")
    if f'role "{options.user}" does not exist' in text:
        return AdapterError(f"{where(options)} refuses the user or the password. Correct them.")
    for words, domain, said in _SAID:
        if words in text:
            return AdapterError(f"{where(options)} {said}", domain=domain)
    if error.sqlstate is not None and not isinstance(error, psycopg.OperationalError):
        return AdapterError(f"{where(options)} refuses: {detail} ({error.sqlstate}).")
    return _unreachable(options)


def _unreachable(options: PostgreSQLConnectionOptions) -> AdapterError:
    return AdapterError(
        f"{where(options)} cannot be reached: it does not answer, or its network or port is not allowed here. Correct "
        "the address, or ask whoever runs this installation to allow its network (PUNCTUAL_OUTGOING_NETWORKS).",
        domain="external",
    )


def where(options: PostgreSQLConnectionOptions) -> str:
    """The server as sentences name it."""
    return f"PostgreSQL at {options.host}:{options.port}"
