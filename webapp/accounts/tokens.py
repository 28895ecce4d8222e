"""Tokens of programs: how they are made, found and refused.

A token reads `pct_<key id>_<secret>`. The key id finds the row; the secret is compared with its HMAC, whose key is
derived from Django's SECRET_KEY: who reads the database can neither use a token nor make one, and a new SECRET_KEY
ends them all.
"""

import ipaddress
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone
from django.utils.crypto import constant_time_compare, salted_hmac

from streaming.definition.faults import Fault, FaultCode
from webapp.accounts.models import Membership, Organisation, Token, User
from webapp.accounts.permissions import ALLOWED, Permission, Role, shared
from webapp.core.authentication import BadToken, BearerAuthentication
from webapp.core.context import current_organisation, installation_context, organisation_context
from webapp.core.errors import Conflict, Faulty, fault
from webapp.core.tenancy import TenantQuerySet

PREFIX: Final = "pct"
"""Lets programs that look for secrets in files know one of ours."""
KEY_ID: Final = re.compile(r"[0-9a-f]{12}")
"""Nothing else is looked up: a header may hold what a database cannot."""
MOST_DAYS: Final = 366
MOST_TOKENS: Final = 50
"""Tokens that one person may have in force in one organisation."""
USE_NOTED_EVERY: Final = timedelta(minutes=1)
NO_DIGEST: Final = "0" * 64
UNKNOWN: Final = "This token is not valid. Check that it was copied whole, or make a new one on the page Access tokens."


@dataclass(frozen=True)
class TokenInUse:
    """The token that a request came with: its one organisation, and what it may do at most.

    `person` is None for a token of a service account, whose name is `label` then; else that is the person's address.
    """

    id: str
    prefix: str
    organisation: Organisation
    role: Role
    permissions: frozenset[Permission]
    person: User | None
    holder: str
    label: str


@dataclass(frozen=True)
class ServiceUser:
    """Who is signed in when a service account's token is shown: nobody of flesh."""

    name: str
    is_authenticated: bool = True
    is_active: bool = True
    pk: None = None


@dataclass(frozen=True)
class Wish:
    """What a token shall be: its name, role, days in force, and the networks it may be used from (none: all)."""

    name: str
    role: Role
    days: int
    networks: Sequence[str] = ()


class TokenAuthentication(BearerAuthentication):
    """Finds the person and the token in the database; one query."""

    def identify(self, token: str, address: str) -> tuple[User | ServiceUser, TokenInUse]:
        """Return the person, or the service account, and the token. Raises `BadToken` with what to do."""
        prefix, _, rest = token.partition("_")
        key_id, _, secret = rest.partition("_")
        with installation_context("which organisation a token is of, is what the token says"):
            found = _find(key_id) if prefix == PREFIX and KEY_ID.fullmatch(key_id) else None
        right = constant_time_compare(digest(key_id, secret), found.digest if found else NO_DIGEST)
        if found is None or not right:
            raise BadToken(UNKNOWN)
        now = timezone.now()
        _check_in_force(found, now)
        _check_network(found, address)
        with organisation_context(found.organisation_id):
            _note_use(found, now)
        return _in_use(found)


def _in_use(found: Token) -> tuple[User | ServiceUser, TokenInUse]:
    account = found.service_account
    role = Role(found.role)
    may = ALLOWED[role] if account is None else shared(role, Role(account.role))
    if found.scopes:
        may &= {Permission(each) for each in found.scopes}
    label = found.user.email if found.user else account.name if account else ""
    holder = str(found.user_id or found.service_account_id)
    used = TokenInUse(str(found.pk), str(found), found.organisation, role, may, found.user, holder, label)
    return found.user or ServiceUser(label), used


def digest(key_id: str, secret: str) -> str:
    """Return the HMAC of a secret, bound to its key id: 64 hexadecimal digits."""
    return salted_hmac("webapp.accounts.tokens", f"{key_id}:{secret}", algorithm="sha256").hexdigest()


def make_token(user: User, wish: Wish) -> tuple[Token, str]:
    """Return a new token of `user` in the organisation in context, and its text, which is not kept anywhere.

    Raises `Faulty` for a role that is more than the person's and for what is no network, `Conflict` for too many.
    """
    faults = [*_role_faults(user, wish.role), *_network_faults(wish.networks)]
    if faults:
        raise Faulty(faults)
    now = timezone.now()
    if Token.objects.filter(user=user, revoked_at=None, expires_at__gt=now).count() >= MOST_TOKENS:
        raise Conflict(f"You have {MOST_TOKENS} tokens in force here. Revoke those that are no longer used.")
    key_id, secret = secrets.token_hex(6), secrets.token_hex(32)
    made = Token(
        user=user,
        name=wish.name,
        key_id=key_id,
        digest=digest(key_id, secret),
        role=wish.role.value,
        networks=[str(ipaddress.ip_network(each)) for each in wish.networks],
        created_at=now,
        expires_at=now + timedelta(days=wish.days),
    )
    made.save()
    return made, f"{PREFIX}_{key_id}_{secret}"


def revoke_token(token: Token) -> None:
    """Revoke a token of the organisation in context; the first time stays noted."""
    Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())


def _find(key_id: str) -> Token | None:
    """Return the token with its person's present role as `present_role`, None for someone who is no member any more.

    The only reading of tokens outside of an organisation: which one it is, is what the token says.
    """
    membership = Membership.objects.filter(user=OuterRef("user"), organisation=OuterRef("organisation"))
    tokens: TenantQuerySet[Token] = TenantQuerySet(Token)
    return (
        tokens.filter(key_id=key_id)
        .select_related("user", "organisation", "service_account")
        .annotate(present_role=Subquery(membership.values("role")[:1]))
        .first()
    )


def _check_in_force(token: Token, now: datetime) -> None:
    present_role: str | None = getattr(token, "present_role", None)
    account = token.service_account
    if token.revoked_at is not None:
        raise BadToken("This token was revoked. Make a new one on the page Access tokens.")
    if token.expires_at <= now:
        raise BadToken(f"This token expired on {token.expires_at:%Y-%m-%d}. Make a new one on the page Access tokens.")
    if account is not None:
        if account.disabled_at is not None:
            raise BadToken(f"The service account {account.name} is switched off. Ask an admin of the organisation.")
        return
    if present_role is None or token.user is None or not token.user.is_active:
        raise BadToken("The person of this token is no longer here. Ask a member for a token of their own.")


def _check_network(token: Token, address: str) -> None:
    if token.networks and not _inside(address, token.networks):
        raise BadToken("This token may not be used from this network. Use it from where it was made for.")


def _inside(address: str, networks: Sequence[str]) -> bool:
    try:
        given = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = given.ipv4_mapped if isinstance(given, ipaddress.IPv6Address) else None
    return any((mapped or given) in ipaddress.ip_network(each) for each in networks)


def _note_use(token: Token, now: datetime) -> None:
    """Write when the token was used last, at most once a minute: reading must stay cheap."""
    old = now - USE_NOTED_EVERY
    if token.last_used_at is not None and token.last_used_at > old:
        return
    tokens: TenantQuerySet[Token] = TenantQuerySet(Token)
    tokens.filter(Q(last_used_at=None) | Q(last_used_at__lte=old), pk=token.pk).update(last_used_at=now)


def _role_faults(user: User, role: Role) -> list[Fault]:
    mine = Role(Membership.objects.get(user=user, organisation_id=current_organisation()).role)
    if ALLOWED[role] <= ALLOWED[mine]:
        return []
    message = f"A token with the role {role} could do more than your own role {mine}."
    return [fault(FaultCode.BAD_SHAPE, message, f"Choose {mine} or less.", field="role")]


def _network_faults(networks: Sequence[str]) -> list[Fault]:
    found = []
    for place, each in enumerate(networks):
        try:
            ipaddress.ip_network(each)
        except ValueError:
            remedy = "Write it as 203.0.113.0/24 or 2001:db8::/32, without bits set behind the prefix."
            message = f"{each!r} is not a network."
            found.append(fault(FaultCode.BAD_SHAPE, message, remedy, field=f"allowed_networks.{place}"))
    return found
