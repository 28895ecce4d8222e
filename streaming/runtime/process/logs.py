"""Log lines for people and machines: one JSON object each.

They go to standard error, which the launcher writes to a file. In a pooled runner, lines about one organisation go to a
file in that organisation's folder instead.
"""

import json
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

LOG: Final = "logs/runner.log"
"""The log of a runner, in the folder of its organisation."""
MOST_BYTES: Final = 10_000_000
_apart: ContextVar[Path | None] = ContextVar("log", default=None)


class JsonLogLines(logging.Formatter):
    """`at`, `level`, `where`, `message`, and `detail` (a stack trace) where there is one."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line."""
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


class DividedLog(logging.StreamHandler):  # type: ignore[type-arg] # generic in the stream type
    """Standard error, or the file of the organisation for which this thread works."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        file = _apart.get()
        if file is None:
            super().emit(record)
            return
        try:
            file.parent.mkdir(exist_ok=True)
            if file.exists() and file.stat().st_size > MOST_BYTES:
                file.replace(file.with_suffix(".log.1"))
            with file.open("a", encoding="utf-8") as lines:
                lines.write(self.format(record) + "\n")
        except OSError:
            self.handleError(record)


@contextmanager
def logging_for(folder: Path) -> Iterator[None]:
    """Log to the file of the organisation in `folder`, also from threads that run in a copy of this context."""
    token = _apart.set(folder / LOG)
    try:
        yield
    finally:
        _apart.reset(token)


def log_to_stderr() -> None:
    """Send everything from `info` upwards to standard error; of py4j, errors only."""
    handler = DividedLog()
    handler.setFormatter(JsonLogLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("py4j").setLevel(logging.ERROR)
