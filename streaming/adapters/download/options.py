"""Options of the `download` adapter."""

import re
from typing import Annotated, Final

from pydantic import Field, field_validator

from streaming.adapters.file.options import ChunkRows, Columns, CtiColumnName, Delimiter, FormatOption, StrictCtis
from streaming.adapters.formats.text.dialect import PLAIN_DIALECT, DialectOption
from streaming.adapters.network.urls import MOST_CHARACTERS
from streaming.adapters.secret_options import SecretText
from streaming.definition.strict import Strict

GIB: Final = 1 << 30


class DownloadOptions(Strict):
    """One CSV, JSON or Parquet file at an https:// address, downloaded when the run begins."""

    url: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MOST_CHARACTERS,
            title="Address",
            description="https://name/path. Without TLS (http://) only in networks that your administrator allows. "
            "A path that ends in .gz is decompressed.",
        ),
    ]
    token: Annotated[
        SecretText | None,
        Field(title="Token", description="Sent as a bearer token to the host of the address, and to no other."),
    ] = None
    format: FormatOption = "auto"
    delimiter: Delimiter = ","
    dialect: DialectOption = PLAIN_DIALECT
    columns: Columns = Field(default_factory=dict)
    most_bytes: Annotated[
        int,
        Field(
            ge=1,
            le=64 * GIB,
            title="Size limit in bytes",
            description="A file that is larger after decompression is refused, never truncated.",
        ),
    ] = GIB
    chunk_rows: ChunkRows = 1_000_000
    cti_column: CtiColumnName = None
    cti_strict: StrictCtis = False

    @field_validator("token")
    @classmethod
    def _fits_a_header(cls, token: SecretText | None) -> SecretText | None:
        if token is not None and not re.fullmatch(r"[\x21-\x7e]+", token.get_secret_value()):
            raise ValueError(
                "a token consists of visible ASCII without spaces; copy it again without surrounding characters"
            )
        return token
