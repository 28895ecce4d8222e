"""What the runner knows of the secrets of its runs: taken sealed from what is desired, told to processes of its own."""

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
from streaming.definition.streams import AdapterChoice
from streaming.spark.secret_client import ADDRESS_VARIABLE, TICKETS_VARIABLE
from streaming.spark.tickets import MOST_BYTES, Tickets
from streaming.wire.deliveries import BindingDeliveries, DeliveryTarget
from streaming.wire.messages import InputSpec, RunSpec
from streaming.wire.sealed import Keyring, SealBroken, concealed, is_placeholder, token_of

_PREFIX: Final = "punctual-runner-"
_SOCKET: Final = "secrets"
_LISTENS_S: Final = 1.0
_REVISION: Final = "->"
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
        self._fresh = self._fresh_targets = True
        self._lock = threading.Lock()

    def take(self, desired: Mapping[str, RunSpec]) -> dict[str, RunSpec]:
        """What is `desired` with placeholders for the secrets, which are kept here.

        Raises `KeysOutdated` for a secret that does not open, unless it was there at the first time: then the keys are
        as new as they can be, and whoever asks for the secret is told to have it given again.
        """
        with self._lock:
            fresh, self._fresh = self._fresh, False
            return {binding: self._without_secrets(spec, fresh) for binding, spec in desired.items()}

    def take_targets(self, wanted: Mapping[str, BindingDeliveries]) -> dict[str, BindingDeliveries]:
        """What is `wanted` by binding, with placeholders for the secrets, which are kept here by identity.

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
        """The options of `target` with its secrets. Raises `SealBroken` where no key of this runner opens one."""
        with self._lock:
            held = self._held.get(_place(target), {})
            found = dict(target.adapter.options)
            for option, each in held.items():
                if each.text is None:
                    raise SealBroken
                if is_placeholder(found.get(option)):
                    found[option] = each.text
            return found

    def _take_target(self, target: DeliveryTarget, fresh: bool) -> DeliveryTarget:
        options = target.adapter.options
        names = output_secrets_among(target.adapter.kind, options)
        adapter = self._concealed(_place(target), target.adapter, names, fresh)
        return target.model_copy(update={"adapter": adapter})

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

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:  # noqa: ARG002 - there is but one
        """The answer to a question of `organisation`, whose runner this is."""
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
        """`adapter` with placeholders for those of its secrets `names` that are there; they are held at `place`."""
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
                return _HeldSecret(token, before.text)  # sealed anew, as the secret of a run never changes
            if not fresh:
                raise KeysOutdated from None
            return _HeldSecret(token, None)


class SecretKeepers:
    """Those of a pool: of each organisation that it serves its own, which alone is asked; asked by threads."""

    def __init__(self) -> None:
        self._keepers: dict[str, SecretKeeper] = {}

    def enter(self, organisation: str, keeper: SecretKeeper) -> None:
        """From now on `keeper` answers for `organisation`."""
        self._keepers[organisation] = keeper

    def leave(self, organisation: str) -> None:
        """Nobody answers for `organisation` any more."""
        self._keepers.pop(organisation, None)

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:
        """What the keeper of `organisation` answers of its `run`."""
        keeper = self._keepers.get(organisation)
        return {"refused": UNKNOWN, "domain": "external"} if keeper is None else keeper.answer(run, name)


class SecretAnswers(Protocol):
    """Who answers questions for secrets."""

    def answer_of(self, organisation: str, run: str, name: str) -> dict[str, Any]:
        """The secrets of input `name` of `run` of `organisation`, else why they are refused and who must act."""


def _place(target: DeliveryTarget) -> tuple[str, str]:
    """Where the secrets of an output are held: those of a revision never change. No input has such a name."""
    return target.identity, f"{_REVISION}{target.revision}"


class SecretSocket:
    """A socket at which the processes that this runner starts ask its keeper; `close` takes it away again.

    With `host`, an address of this machine that workers on others reach, they ask there, with a ticket that the first
    socket hands out. What runners left that were killed is removed too.
    """

    def __init__(self, keeper: SecretAnswers, host: str | None = None) -> None:
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


def _answer(keeper: SecretAnswers, question: Mapping[str, Any]) -> dict[str, Any]:
    return keeper.answer_of(str(question.get("organisation", "")), str(question["run"]), str(question["input"]))


class _TicketListener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 1_024

    def __init__(self, host: str, keeper: SecretAnswers) -> None:
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
                answer = _answer(self.server.keeper, asked.question)
                self.wfile.write(asked.sealed(answer))
        except (OSError, KeyError):
            return  # whoever asked went away, or asks for something else


class _SecretListener(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    request_queue_size = 1_024  # who finds it full is refused at once, and a run would fail

    def __init__(self, path: str, keeper: SecretAnswers, remote: _TicketListener | None) -> None:
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
        return _answer(self.server.keeper, question)
