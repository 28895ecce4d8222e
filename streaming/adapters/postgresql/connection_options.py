"""Options of the connection to a PostgreSQL server, shared by all adapters."""

import re
from base64 import b64decode
from binascii import Error
from ssl import DER_cert_to_PEM_cert
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

ADDRESSES: Final = frozenset({"host", "port", "user", "tls"})
"""The options that decide where the password is sent; if one of these changes, it must be entered again."""
_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
_WHOLE: Final = r"^[^\x00-\x1f]+$"
"""Text without characters that would end it for the driver, or end its line in a message."""


class PostgreSQLConnectionOptions(Strict):
    """A PostgreSQL server and the credentials for it. No other settings of the driver can be changed."""

    host: Annotated[
        str,
        Field(min_length=1, max_length=253, pattern=r"^[^\x00-\x20,/]+$", title="Host",
              description="The server's name or address."),
    ]  # fmt: skip
    port: Annotated[int, Field(ge=1, le=65_535, title="Port", description="The server's port, usually 5432.")] = 5432
    database: Annotated[
        str,
        Field(
            min_length=1,
            max_length=63,
            pattern=_WHOLE,
            title="Database",
            description="The database that contains the table.",
        ),
    ]
    user: Annotated[
        str,
        Field(min_length=1, max_length=63, pattern=_WHOLE, title="User", description="The user name for signing in."),
    ]
    password: Annotated[SecretText | None, Field(title="Password", description="The user's password.")] = None
    tls: Annotated[
        Literal["verify", "encrypt", "off"],
        Field(
            title="TLS",
            description="verify: encrypted, and the server's certificate is checked for its name. encrypt: encrypted, "
            "but any certificate is accepted. off: only in networks that your administrator allows.",
        ),
    ] = "verify"
    authority: Annotated[
        str | None,
        Field(
            max_length=100_000,
            title="Certificate authority",
            description="PEM text of the authority that signed the server's certificate. Empty: the system's "
            "authorities.",
        ),
    ] = None

    @field_validator("password")
    @classmethod
    def _is_whole(cls, password: SecretText | None) -> SecretText | None:
        if password is not None and "\0" in password.get_secret_value():
            raise ValueError("a password can't contain a null character; copy it again")
        return password

    @field_validator("authority")
    @classmethod
    def _in_lines(cls, text: str | None) -> str | None:
        """Restore the line ends of certificates, which forms and shells remove."""
        if text is None:
            return None
        try:
            bodies = [b64decode("".join(each.split()), validate=True) for each in _CERTIFICATE.findall(text)]
        except Error:
            bodies = []
        if not bodies:
            raise ValueError("the certificate is incomplete; copy it from -----BEGIN to -----END CERTIFICATE-----")
        return "".join(map(DER_cert_to_PEM_cert, bodies))
