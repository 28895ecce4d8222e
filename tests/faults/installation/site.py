"""An installation as its user starts it, with the owner of its demo signed in."""

import re
import signal
import subprocess
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx

from deploy.installation.processes import left_over, runners
from tests.e2e.installation import environment, launch, printed_until_ready
from tests.ports import free_port


class Site:
    """An installation in `var`, and the owner of its demo; a test may restart its supervisor."""

    def __init__(self, var: Path, settings: Mapping[str, str] | None = None) -> None:
        self.var, self.env = var, environment(var, free_port()) | dict(settings or {})
        self.supervisor = self.started()
        self.pages = httpx.Client(base_url=f"http://127.0.0.1:{self.env['PORT']}", timeout=10)

    def started(self) -> "subprocess.Popen[str]":
        """Start it as its user would, and wait until it reports that it runs."""
        process = launch(self.env)
        self.printed = "\n".join(printed_until_ready(process))
        assert "ctrl-C" in self.printed, self.printed
        threading.Thread(
            target=drained, args=(process,), daemon=True
        ).start()  # otherwise it blocks when the pipe is full
        return process

    def sign_in(self) -> None:
        found = re.search(r"Sign in as (\S+), password: (\S+)", self.printed)
        assert found is not None
        self.pages.get("/sign-in")
        credentials = {"email": found[1], "password": found[2]}
        headers = {"X-CSRFToken": self.pages.cookies["csrftoken"]}
        self.pages.post("/_allauth/browser/v1/auth/login", json=credentials, headers=headers).raise_for_status()

    def end(self) -> None:
        self.pages.close()
        self.supervisor.send_signal(signal.SIGTERM)
        assert self.supervisor.wait(300) == 0
        assert [*left_over(self.var), *runners(self.var)] == []

    @property
    def organisation(self) -> str:
        (found,) = [path.name for path in self.var.iterdir() if path.name.count("-") == 4 and path.is_dir()]
        return found

    def call(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"X-CSRFToken": self.pages.cookies["csrftoken"]}
        return self.pages.request(method, f"/api/t/demo/{path}", json=body, headers=headers).raise_for_status().json()


def drained(process: "subprocess.Popen[str]") -> None:
    """Read its output to the end."""
    assert process.stdout is not None
    with process.stdout as lines:
        for _ in lines:
            pass
