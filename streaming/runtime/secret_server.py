"""The secrets of a runner's runs: taken sealed from the desired specs, served to the runner's own processes."""

import json
import os
import shutil
import socket
import socketserver
import tempfile
import threading
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from streaming.adapters.registry import output_secrets_among, secrets_among
from streaming.definition.streams.stream import AdapterChoice
from streaming.spark.session.secret_client import ADDRESS_VARIABLE, TICKETS_VARIABLE
from streaming.spark.session.tickets import MOST_BYTES, Tickets
from streaming.wire.deliveries import BindingDeliveries, DeliveryTarget
from streaming.wire.messages import InputSpec, RunSpec
from streaming.wire.sealed import Keyring, SealBroken, concealed, is_placeholder, token_of

_PREFIX: Final = "punctual-runner-"
_SOCKET: Final = "secrets"
_LISTENS_S: Final = 1.0
_REVISION: Final = "->"
UNKNOWN = "The runner does not have the secrets of this connection yet. The connection is retried."


class KeysOutdated(Exception):
    """A secret was sealed with a newer key than this runner has; a runner that starts now has that key."""

    def __init__(self) -> None:
        super().__init__("a secret was sealed with a newer key than this runner has; it exits, to be started again")


@dataclass
class _HeldSecret:
    """A secret: its last token, and its text, None if no key of this runner opens it."""

    token: str | None = field(repr=False)
    text: str | None = field(repr=False)


class SecretKeeper:
    """Holds the secrets of each run, by input; thread-safe."""

    def __init__(self, keys: Keyring) -> None:
        self._keys = keys
        self._held: dict[tuple[str, str], dict[str, _HeldSecret]] = {}
        self._fresh = self._fresh_targets = True
        self._lock = threading.Lock()

    def take(self, desired: Mapping[str, RunSpec]) -> dict[str, RunSpec]:
        """Return `desired` with placeholders for the secrets, which stay here.

        Raises `KeysOutdated` for a secret that doesn't open, except in the first call. The keys are then as new as
        possible, and a request for the secret is answered with an error that asks the user to enter it again.
        """
        with self._lock:
            fresh, self._fresh = self._fresh, False
            return {binding: self._without_secrets(spec, fresh) for binding, spec in desired.items()}

    def take_targets(self, wanted: Mapping[str, BindingDeliveries]) -> dict[str, BindingDeliveries]:
        """Return `wanted` by binding, with placeholders for the secrets, which stay here by identity.

        Raises `KeysOutdated` as `take` does.
        """
        places = {_place(target) for each in wanted.values() for target in each.targets}
        with self._lock:
            fresh, self._fresh_targets = self._fresh_targets, False
            taken = {}
            for place in [each for each in self._held if each[1].startswith(_REVISION) and each not in places]:
                del self._held[place]
            for binding, each in wanted.items():
                targets = [self._take_target(target, fresh) for target in each.targets]
                taken[binding] = each.model_copy(update={"targets": targets})
            return taken

    def target_options(self, target: DeliveryTarget) -> dict[str, Any]:
        """Return the options of `target` with its secrets. Raises `SealBroken` if no key of this runner opens one."""
        with self._lock:
            held = self._held.get(_place(target), {})
            options = dict(target.adapter.options)
            for option, each in held.items():
                if each.text is None:
                    raise SealBroken
                if is_placeholder(options.get(option)):
                    options[option] = each.text
            return options

    def _take_target(self, target: DeliveryTarget, fresh: bool) -> DeliveryTarget:
        options = target.adapter.options
        names = output_secrets_among(target.adapter.kind, options)
        adapter = self._concealed(_place(target), target.adapter, names, fresh)
        return target.model_copy(update={"adapter": adapter})

    def answer(self, run: str, name: str) -> dict[str, Any]:
        """Return the secrets of input `name` of `run`, else why they are refused and who must act."""
        with self._lock:
            held = self._held.get((run, name))
            if held is None:
                return {"refused": UNKNOWN, "domain": "external"}
            texts = {option: each.text for option, each in held.items()}
        if None in texts.values():
            return {"refused": str(SealBroken()), "domain": "user"}
        return {"secrets": texts}

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:  # noqa: ARG002 - there is only one
        """Return the answer for `organisation`, whose runner this is."""
        return self.answer(run, name)

    def _without_secrets(self, spec: RunSpec, fresh: bool) -> RunSpec:
        inputs = {name: self._take_input(spec.run, name, each, fresh) for name, each in spec.inputs.items()}
        return spec.model_copy(update={"inputs": inputs})

    def _take_input(self, run: str, name: str, item: InputSpec, fresh: bool) -> InputSpec:
        names = secrets_among(item.adapter.kind, item.adapter.options)
        return item.model_copy(update={"adapter": self._concealed((run, name), item.adapter, names, fresh)})

    def _concealed(
        self, place: tuple[str, str], adapter: AdapterChoice, names: Collection[str], fresh: bool
    ) -> AdapterChoice:
        """Return `adapter` with placeholders for its secrets among `names`; hold the secrets at `place`."""
        secrets = {name: value for name in names if (value := adapter.options.get(name)) is not None}
        if not secrets:
            return adapter
        held = self._held.setdefault(place, {})
        for option, value in secrets.items():
            held[option] = self._opened(held.get(option), value, fresh)
        return adapter.model_copy(update={"options": concealed(adapter.options, secrets.keys())})

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
                return _HeldSecret(token, before.text)  # sealed again; the secret of a run never changes
            if not fresh:
                raise KeysOutdated from None
            return _HeldSecret(token, None)


class SecretKeepers:
    """The keepers of a pool, one for each organisation that it serves; thread-safe."""

    def __init__(self) -> None:
        self._keepers: dict[str, SecretKeeper] = {}

    def enter(self, organisation: str, keeper: SecretKeeper) -> None:
        """Let `keeper` answer for `organisation` from now on."""
        self._keepers[organisation] = keeper

    def leave(self, organisation: str) -> None:
        """Refuse requests of `organisation` from now on."""
        self._keepers.pop(organisation, None)

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:
        """Return the answer of the keeper of `organisation`."""
        keeper = self._keepers.get(organisation)
        return {"refused": UNKNOWN, "domain": "external"} if keeper is None else keeper.answer(run, name)


class SecretAnswers(Protocol):
    """Answers requests for secrets."""

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:
        """Return the secrets of input `name` of `run` of `organisation`, else why they are refused and who must act."""


def _place(target: DeliveryTarget) -> tuple[str, str]:
    """Return the place of an output's secrets: those of a revision never change. No input has such a name."""
    return target.identity, f"{_REVISION}{target.revision}"


class SecretSocket:
    """A socket at which child processes of this runner request secrets from its keeper; `close` removes it.

    With `host`, an address that workers on other machines can connect to, these workers use a second socket there, with
    a ticket that the first socket issues. Leftover sockets of killed runners are removed too.
    """

    def __init__(self, keeper: SecretAnswers, host: str | None = None) -> None:
        _remove_left()
        self._remote = None if host is None else _TicketListener(host, keeper)
        self._folder = Path(tempfile.mkdtemp(prefix=_PREFIX))  # only this user may enter it
        self._server = _SecretListener(str(self._folder / _SOCKET), keeper, self._remote)
        os.environ[ADDRESS_VARIABLE] = str(self._folder / _SOCKET)
        servers: list[socketserver.BaseServer] = [self._server]
        if self._remote is not None:
            os.environ[TICKETS_VARIABLE] = "1"
            servers.append(self._remote)
        for server in servers:
            threading.Thread(target=server.serve_forever, name="secrets", daemon=True).start()

    def close(self) -> None:
        """Close and remove the sockets."""
        for server in (self._server, self._remote):
            if server is not None:
                server.shutdown()
                server.server_close()
        shutil.rmtree(self._folder, ignore_errors=True)
        for name in (ADDRESS_VARIABLE, TICKETS_VARIABLE):
            os.environ.pop(name, None)


def _remove_left() -> None:
    """Remove the folders of this user's runners in which no process listens any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with socket.socket(socket.AF_UNIX) as line:
            try:
                line.settimeout(_LISTENS_S)
                line.connect(str(folder / _SOCKET))
            except ConnectionRefusedError:
                shutil.rmtree(folder, ignore_errors=True)
            except OSError:
                continue  # it is being created, it is busy, or it belongs to another user


def _answer(keeper: SecretAnswers, question: Mapping[str, Any]) -> dict[str, Any]:
    return keeper.answer_of(str(question.get("organisation", "")), str(question["run"]), str(question["input"]))


class _TicketListener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 1_024

    def __init__(self, host: str, keeper: SecretAnswers) -> None:
        super().__init__((host, 0), _TicketHandler)
        self.keeper = keeper
        self.tickets = Tickets()

    def issue_ticket(self) -> dict[str, Any]:
        """Return a new ticket for the planner."""
        host, port = self.server_address[:2]
        return self.tickets.issue(str(host), int(port)).to_json()


class _TicketHandler(socketserver.StreamRequestHandler):
    timeout = 10.0
    server: _TicketListener

    def handle(self) -> None:
        """Answer one request that has a valid ticket."""
        try:
            asked = self.server.tickets.opened(self.rfile.readline(MOST_BYTES))
            if asked is not None:
                answer = _answer(self.server.keeper, asked.question)
                self.wfile.write(asked.sealed(answer))
        except (OSError, KeyError):
            return  # the sender disconnected, or requests something else


class _SecretListener(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 1_024  # a full queue refuses connections at once, and a run would fail

    def __init__(self, path: str, keeper: SecretAnswers, remote: _TicketListener | None) -> None:
        super().__init__(path, _SecretHandler)
        self.keeper = keeper
        self.remote = remote


class _SecretHandler(socketserver.StreamRequestHandler):
    timeout = 10.0
    server: _SecretListener

    def handle(self) -> None:
        """Answer one request."""
        try:
            question = json.loads(self.rfile.readline(10_000))
            self.wfile.write(json.dumps(self._answer(question)).encode())
        except (OSError, ValueError, KeyError, TypeError):
            return  # the sender disconnected, or isn't a process of ours

    def _answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        if self.server.remote is not None and question.get("ticket"):
            return self.server.remote.issue_ticket()
        return _answer(self.server.keeper, question)
