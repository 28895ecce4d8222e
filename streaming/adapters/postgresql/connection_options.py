"""How a PostgreSQL server is reached: what is the same whatever is done there."""

import re
from base64 import b64decode
from binascii import Error
from ssl import DER_cert_to_PEM_cert
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

ADDRESSES: Final = frozenset({"host", "port", "user", "tls"})
"""Where the password is sent, and how: when one of these changes, it has to be given again."""
_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
_WHOLE: Final = r"^[^\x00-\x1f]+$"
"""Text without characters that end it for the driver, or its line for a reader."""


class PostgreSQLConnectionOptions(Strict):
    """A PostgreSQL server, and who signs in to it. Nothing else of the driver's settings can be set."""

    host: Annotated[
        str,
        Field(min_length=1, max_length=253, pattern=r"^[^\x00-\x20,/]+$", title="Host",
              description="Its name or address."),
    ]  # fmt: skip
    port: Annotated[
        int, Field(ge=1, le=65_535, title="Port", description="Where the server listens, 5432 as a rule.")
    ] = 5432
    database: Annotated[
        str,
        Field(min_length=1, max_length=63, pattern=_WHOLE, title="Database", description="The one that has the table."),
    ]
    user: Annotated[str, Field(min_length=1, max_length=63, pattern=_WHOLE, title="User", description="Who signs in.")]
    password: Annotated[SecretText | None, Field(title="Password", description="That of the user.")] = None
    tls: Annotated[
        Literal["verify", "encrypt", "off"],
        Field(
            title="TLS",
            description="verify: encrypted, and the server's certificate is checked for its name. encrypt: encrypted, "
            "but any certificate is taken. off: only in networks that the installation names.",
        ),
    ] = "verify"
    authority: Annotated[
        str | None,
        Field(
            max_length=100_000,
            title="Certificate authority",
            description="PEM text of the authority that signed the server's certificate; the system's own if empty.",
        ),
    ] = None

    @field_validator("password")
    @classmethod
    def _is_whole(cls, password: SecretText | None) -> SecretText | None:
        if password is not None and "\0" in password.get_secret_value():
            raise ValueError("a password has no null character; copy it again")
        return password

    @field_validator("authority")
    @classmethod
    def _in_lines(cls, text: str | None) -> str | None:
        """Forms and shells lose the ends of lines, without which nobody reads a certificate."""
        if text is None:
            return None
        try:
            bodies = [b64decode("".join(each.split()), validate=True) for each in _CERTIFICATE.findall(text)]
        except Error:
            bodies = []
        if not bodies:
            raise ValueError("there is no whole certificate; copy it from -----BEGIN to -----END CERTIFICATE-----")
        return "".join(map(DER_cert_to_PEM_cert, bodies))
