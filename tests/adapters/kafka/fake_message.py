"""A message like the client's, without a broker."""

from collections.abc import Sequence
from dataclasses import dataclass, field

CREATED, APPENDED = 1, 2


@dataclass(frozen=True)
class FakeMessage:
    """A message like the client's."""

    content: bytes | None = b"{}"
    at: int = 0
    named: bytes | None = None
    stamp: tuple[int, int] = (CREATED, 1_000)
    header_list: Sequence[tuple[str, bytes | None]] | None = None
    where: tuple[str, int] = field(default=("t", 3))

    def value(self) -> bytes | None:
        return self.content

    def key(self) -> bytes | None:
        return self.named

    def offset(self) -> int:
        return self.at

    def timestamp(self) -> tuple[int, int]:
        return self.stamp

    def headers(self) -> Sequence[tuple[str, bytes | None]] | None:
        return self.header_list

    def topic(self) -> str:
        return self.where[0]

    def partition(self) -> int:
        return self.where[1]
