"""What the runner knows of the secrets of its runs: taken sealed from what is desired, told to processes of its own."""

import json
import os
import shutil
import socket
import socketserver
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from streaming.adapters.registry import secrets_among
from streaming.spark.secret_client import ADDRESS_VARIABLE, TICKETS_VARIABLE
from streaming.spark.tickets import MOST_BYTES, Tickets
from streaming.wire.messages import InputSpec, RunSpec
from streaming.wire.sealed import Keyring, SealBroken, concealed, token_of

_PREFIX: Final = "punctual-runner-"
_SOCKET: Final = "secrets"
_LISTENS_S: Final = 1.0
UNKNOWN = "The runner does not know the secrets of this connection yet. It is tried again."


class KeysOutdated(Exception):
    """A secret was sealed under a key that came after this runner; a runner that starts now has it."""

    def __init__(self) -> None:
        super().__init__("a secret was sealed under a newer key than this runner has; it ends, to be started again")


@dataclass
class _HeldSecret:
    """A secret: the token from which it was opened last, and its text, None if no key of this runner opens it."""

    token: str | None = field(repr=False)
    text: str | None = field(repr=False)


class SecretKeeper:
    """Holds the secrets of each run, by input; asked by threads, so it locks."""

    def __init__(self, keys: Keyring) -> None:
        self._keys = keys
        self._held: dict[tuple[str, str], dict[str, _HeldSecret]] = {}
        self._fresh = True
        self._lock = threading.Lock()

    def take(self, desired: Mapping[str, RunSpec]) -> dict[str, RunSpec]:
        """What is `desired` with placeholders for the secrets, which are kept here.

        Raises `KeysOutdated` for a secret that does not open, unless it was there at the first time: then the keys are
        as new as they can be, and whoever asks for the secret is told to have it given again.
        """
        with self._lock:
            fresh, self._fresh = self._fresh, False
            return {binding: self._without_secrets(spec, fresh) for binding, spec in desired.items()}

    def answer(self, run: str, name: str) -> dict[str, Any]:
        """The secrets of input `name` of `run`, else why they are refused and who must act."""
        with self._lock:
            held = self._held.get((run, name))
            if held is None:
                return {"refused": UNKNOWN, "domain": "external"}
            texts = {option: each.text for option, each in held.items()}
        if None in texts.values():
            return {"refused": str(SealBroken()), "domain": "user"}
        return {"secrets": texts}

    def _without_secrets(self, spec: RunSpec, fresh: bool) -> RunSpec:
        inputs = {name: self._take_input(spec.run, name, each, fresh) for name, each in spec.inputs.items()}
        return spec.model_copy(update={"inputs": inputs})

    def _take_input(self, run: str, name: str, item: InputSpec, fresh: bool) -> InputSpec:
        options = item.adapter.options
        secrets = {option: options[option] for option in secrets_among(item.adapter.kind, options) & options.keys()}
        if not secrets:
            return item
        held = self._held.setdefault((run, name), {})
        for option, value in secrets.items():
            held[option] = self._opened(held.get(option), value, fresh)
        adapter = item.adapter.model_copy(update={"options": concealed(options, secrets.keys())})
        return item.model_copy(update={"adapter": adapter})

    def _opened(self, before: _HeldSecret | None, value: Any, fresh: bool) -> _HeldSecret:
        token = token_of(value)
        if token is None:
            return _HeldSecret(None, value)
        if before is not None and before.token == token:
            return before
        try:
            return _HeldSecret(token, self._keys.open(token))
        except SealBroken:
            if before is not None and before.text is not None:
                return _HeldSecret(token, before.text)  # sealed anew, as the secret of a run never changes
            if not fresh:
                raise KeysOutdated from None
            return _HeldSecret(token, None)


class SecretSocket:
    """A socket at which the processes that this runner starts ask its keeper; `close` takes it away again.

    With `host`, an address of this machine that workers on others reach, they ask there, with a ticket that the first
    socket hands out. What runners left that were killed is removed too.
    """

    def __init__(self, keeper: SecretKeeper, host: str | None = None) -> None:
        _remove_left()
        self._remote = None if host is None else _TicketListener(host, keeper)
        self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # none but this user may enter it
        self._server = _SecretListener(str(self._folder / _SOCKET), keeper, self._remote)
        os.environ[ADDRESS_VARIABLE] = str(self._folder / _SOCKET)
        servers: list[socketserver.BaseServer] = [self._server]
        if self._remote is not None:
            os.environ[TICKETS_VARIABLE] = "1"
            servers.append(self._remote)
        for server in servers:
            threading.Thread(target=server.serve_forever, name="secrets", daemon=True).start()

    def close(self) -> None:
        """Answer nobody any more."""
        for server in (self._server, self._remote):
            if server is not None:
                server.shutdown()
                server.server_close()
        shutil.rmtree(self._folder, ignore_errors=True)
        for name in (ADDRESS_VARIABLE, TICKETS_VARIABLE):
            os.environ.pop(name, None)


def _remove_left() -> None:
    """Remove the folders of this user's runners in which nobody listens any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.settimeout(_LISTENS_S)
                line.connect(str(folder / _SOCKET))
            except ConnectionRefusedError:
                shutil.rmtree(folder, ignore_errors=True)
            except OSError:
                continue  # it is just being made, it has much to do, or it is another user's


class _TicketListener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 1_024

    def __init__(self, host: str, keeper: SecretKeeper) -> None:
        super().__init__((host, 0), _TicketHandler)
        self.keeper = keeper
        self.tickets = Tickets()

    def handed_out(self) -> dict[str, Any]:
        """A new ticket, for the planner."""
        host, port = self.server_address[:2]
        return self.tickets.issue(str(host), int(port)).to_json()


class _TicketHandler(socketserver.StreamRequestHandler):
    timeout = 10.0
    server: _TicketListener

    def handle(self) -> None:
        """Answer one question that came under a ticket, and no other."""
        try:
            asked = self.server.tickets.opened(self.rfile.readline(MOST_BYTES))
            if asked is not None:
                answer = self.server.keeper.answer(str(asked.question["run"]), str(asked.question["input"]))
                self.wfile.write(asked.sealed(answer))
        except (OSError, KeyError):
            return  # whoever asked went away, or asks for something else


class _SecretListener(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 1_024  # who finds it full is refused at once, and a run would fail

    def __init__(self, path: str, keeper: SecretKeeper, remote: _TicketListener | None) -> None:
        super().__init__(path, _SecretHandler)
        self.keeper = keeper
        self.remote = remote


class _SecretHandler(socketserver.StreamRequestHandler):
    timeout = 10.0
    server: _SecretListener

    def handle(self) -> None:
        """Answer one question."""
        try:
            question = json.loads(self.rfile.readline(10_000))
            self.wfile.write(json.dumps(self._answer(question)).encode())
        except (OSError, ValueError, KeyError, TypeError):
            return  # whoever asked went away, or is none of ours

    def _answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        if self.server.remote is not None and question.get("ticket"):
            return self.server.remote.handed_out()
        return self.server.keeper.answer(str(question["run"]), str(question["input"]))
