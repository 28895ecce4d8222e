"""Address, token and organisation: from the command line, the environment, or the file of `sign-in`.

The stored token is sent only to the address that it was stored for: another address needs its own token.
"""

import json
import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .address import checked_address
from .outcomes import CommandFailure, ExitCode

ADDRESS, TOKEN, ORGANISATION = "PUNCTUAL_ADDRESS", "PUNCTUAL_TOKEN", "PUNCTUAL_ORGANISATION"
LONGEST_TOKEN = 1_000


@dataclass(frozen=True)
class WantedCredentials:
    """The options of the command line, None if absent."""

    address: str | None = None
    organisation: str | None = None
    token_file: str | None = None
    insecure_http: bool = False


@dataclass(frozen=True)
class Account:
    """A server, a token for it, and the organisation (None: the token's)."""

    address: str
    token: str = field(repr=False)
    organisation: str | None = None
    insecure_http: bool = False


def credentials_file(environment: Mapping[str, str]) -> Path:
    """Return the path where `sign-in` stores the account: in the XDG configuration folder."""
    given = Path(environment.get("XDG_CONFIG_HOME") or "")
    folder = given if given.is_absolute() else Path.home() / ".config"
    return folder / "punctual" / "credentials.json"


def find_account(wanted: WantedCredentials, environment: Mapping[str, str]) -> Account:
    """Return the account to use. Raises `CommandFailure` without one."""
    kept = read_kept(environment)
    address = wanted.address or environment.get(ADDRESS) or (kept.address if kept else None)
    if address is None:
        raise CommandFailure(ExitCode.NOT_ALLOWED, "You are not signed in. Run `punctual sign-in`.")
    insecure = wanted.insecure_http or (kept is not None and kept.insecure_http and kept.address == address.rstrip("/"))
    address = checked_address(address, insecure_http=insecure)
    organisation = wanted.organisation or environment.get(ORGANISATION) or None
    token = read_token(wanted.token_file) if wanted.token_file else environment.get(TOKEN)
    if token:
        return Account(address, well_formed(token), organisation, insecure)
    if kept is None or kept.address != address:
        raise CommandFailure(
            ExitCode.NOT_ALLOWED,
            f"There is no token for {address}. Run `punctual sign-in`, set {TOKEN} or use --token-file.",
        )
    return Account(address, kept.token, organisation or kept.organisation, insecure)


def well_formed(token: str) -> str:
    """Return the token without surrounding white space. Raises `CommandFailure`, which does not repeat it."""
    token = token.strip()
    if not token or len(token) > LONGEST_TOKEN or not all("!" <= character <= "~" for character in token):
        raise CommandFailure(
            ExitCode.NOT_ALLOWED, "This isn't a token: a token starts with pct_ and contains no spaces."
        )
    return token


def read_token(place: str) -> str:
    """Return the token in the file `place`, or on standard input for `-`. Raises `CommandFailure`."""
    if place == "-":
        return well_formed(sys.stdin.readline(LONGEST_TOKEN + 2))
    try:
        with Path(place).open(encoding="utf-8") as file:
            return well_formed(file.read(LONGEST_TOKEN + 2))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise CommandFailure(ExitCode.USAGE, f"The token file {place} cannot be read: {reason}.") from None


def read_kept(environment: Mapping[str, str]) -> Account | None:
    """Return the account that `sign-in` stored. Raises `CommandFailure` if others may read or own the file."""
    path = credentials_file(environment)
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CommandFailure(ExitCode.NOT_ALLOWED, f"{path} cannot be read: {error.strerror}.") from None
    if mode & 0o077:
        raise CommandFailure(
            ExitCode.NOT_ALLOWED, f"Others may read the token in {path}. Run `chmod 600 {path}`, then try again."
        )
    try:
        return Account(**json.loads(content))
    except (ValueError, TypeError):
        raise CommandFailure(ExitCode.NOT_ALLOWED, f"{path} is damaged. Run `punctual sign-in` again.") from None


def keep(account: Account, environment: Mapping[str, str]) -> Path:
    """Write the account for later commands, readable only by its owner; return the path. Raises `OSError`."""
    path = credentials_file(environment)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(account), file)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return path


def forget(environment: Mapping[str, str]) -> bool:
    """Remove the account that `sign-in` stored; return whether there was one."""
    path = credentials_file(environment)
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
