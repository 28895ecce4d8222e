"""Full disks: the message that runs, deliveries and the web application share."""

import errno
from typing import Final

DISK_FULL: Final = (
    "The disk that holds the results and the checkpoint is full. Free space: delete results, quarantine or files, or "
    "contact your administrator. The run resumes automatically within 30 s after that; its state is kept."
)
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The error numbers of a write that failed because the disk or a quota is full."""
