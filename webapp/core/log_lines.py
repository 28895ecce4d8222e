"""Log lines for machines: one JSON object for each record, with the fields of a runner's lines."""

import json
import logging
from datetime import UTC, datetime

from webapp.core.context import organisation_or_none


class JsonRequestLines(logging.Formatter):
    """`at`, `level`, `where`, `message`; `request` and `organisation` (ids) and `detail` (a stack trace) if known."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "where": record.name,
            "message": record.getMessage(),
        }
        request = getattr(record, "request_id", "-")
        if request != "-":
            line["request"] = request
        organisation = organisation_or_none()
        if organisation is not None:
            line["organisation"] = str(organisation)
        if record.exc_info:
            line["detail"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)
