"""Log lines for people and machines: one JSON object each on standard error, which the launcher keeps in a file."""

import json
import logging
from datetime import UTC, datetime


class JsonLogLines(logging.Formatter):
    """`at`, `level`, `where`, `message`, and `detail` (a stack trace) where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "where": record.name,
            "message": record.getMessage(),
        }
        detail = getattr(record, "detail", None)
        if record.exc_info:
            detail = self.formatException(record.exc_info)
        return json.dumps(line if detail is None else {**line, "detail": detail}, ensure_ascii=False)


def log_to_stderr() -> None:
    """Send everything from `info` upwards to standard error; of py4j, errors only."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLogLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("py4j").setLevel(logging.ERROR)
