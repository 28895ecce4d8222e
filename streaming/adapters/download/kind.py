"""The registry entry of the kind `download`."""

from streaming.adapters.download.adapter import DownloadAdapter
from streaming.adapters.download.options import DownloadOptions
from streaming.adapters.kinds import ConnectingBuild, InputKind

KIND = InputKind(
    "download",
    "Download",
    DownloadOptions,
    ConnectingBuild(DownloadAdapter),
    sends_ctis=True,
    addresses=frozenset({"url"}),
    menu=3,
    ends=lambda _: True,
)
