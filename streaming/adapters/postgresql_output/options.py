"""What a user sets for results that go to a table of PostgreSQL."""

import re
from base64 import b64decode
from binascii import Error
from ssl import DER_cert_to_PEM_cert
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

_CERTIFICATE: Final = re.compile(r"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
Identifier = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]{0,62}$")]
"""A name in PostgreSQL that is the same with quotes and to its letters; longer ones would be cut."""


class PostgreSQLOutputOptions(Strict):
    """Results as rows of a PostgreSQL table (15 or newer), kept up to date: each window and group is one row."""

    host: Annotated[str, Field(min_length=1, max_length=253, title="Host", description="Its name or address.")]
    port: Annotated[int, Field(ge=1, le=65_535, title="Port")] = 5432
    database: Annotated[str, Field(min_length=1, max_length=63, title="Database")]
    user: Annotated[str, Field(min_length=1, max_length=63, title="User")]
    password: Annotated[SecretText | None, Field(title="Password")] = None
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
    schema_name: Annotated[Identifier, Field(title="Schema", description="It must exist.")] = "public"
    table: Annotated[Identifier, Field(title="Table")]
    create: Annotated[
        bool,
        Field(title="Make the table", description="If it is not there. One that is there is checked and not changed."),
    ] = True
    mode: Annotated[
        Literal["upsert", "append"],
        Field(
            title="Rows",
            description="upsert: a row for each window and group, which a later result replaces, or deletes when it is "
            "taken back. append: every result is a new row, those that take one back are marked as deleted.",
        ),
    ] = "upsert"
    key: Annotated[
        list[str],
        Field(
            max_length=30,
            title="Key",
            description="The fields that tell the rows of one window apart, usually those of GROUP BY, as "
            'JSON such as ["car"]. Start and end are always in the key. Used by upsert alone.',
        ),
    ] = Field(default_factory=list)
    start_column: Annotated[Identifier, Field(title="Column of the start")] = "window_start"
    end_column: Annotated[
        Identifier, Field(title="Column of the end", description="An end that is open is 'infinity' there.")
    ] = "window_end"

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
