"""Reasons why an export cannot be written, each a sentence for the person who requested it."""


class ExportProblem(Exception):
    """The file cannot be written: `message` is what is wrong, `remedy` what to do, `field` the parameter to change."""

    def __init__(self, message: str, remedy: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy
        self.field = field


class NoRoomLeft(ExportProblem):
    """The temporary file would exceed what the organisation may store."""

    def __init__(self) -> None:
        super().__init__(
            "This export needs more storage than the organisation has left, because the file is prepared as a whole "
            "before it is sent.",
            "Export a shorter range, or delete files, results or quarantine first.",
        )
