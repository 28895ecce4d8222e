"""Tokens of programs: how they are made, found and refused.

A token reads `pct_<key id>_<secret>` (`secret_texts`); it belongs to a person or to a service account.
"""

import ipaddress
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction
from django.db.models import OuterRef, Q, Subquery
from django.utils import timezone

from streaming.definition.faults import Fault, FaultCode
from webapp.accounts.models import Membership, Organisation, ServiceAccount, Token, User
from webapp.accounts.organisations import lock_organisation
from webapp.accounts.permissions import ALLOWED, Permission, Role, shared
from webapp.accounts.secret_texts import SecretPurpose
from webapp.audit.recording import Target, record
from webapp.core.context import current_organisation, installation_context, organisation_context
from webapp.core.database.locked import DatabaseLocked, without_waiting
from webapp.core.disk import is_short
from webapp.core.errors import Conflict, Faulty, NotFound, fault
from webapp.core.http.authentication import BadToken, BearerAuthentication
from webapp.core.tenancy import TenantQuerySet

TOKEN: Final = SecretPurpose("pct", "webapp.accounts.tokens")
MOST_DAYS: Final = 366
MOST_TOKENS: Final = 50
"""Valid tokens that one person, or one service account, may have in one organisation."""
USE_NOTED_EVERY: Final = timedelta(minutes=1)
UNKNOWN: Final = "This token is not valid. Check that it was copied whole, or make a new one on the page Access tokens."


@dataclass(frozen=True)
class TokenInUse:
    """The token of a request: its one organisation, and the most that it may do.

    For a token of a service account, `person` is None and `label` its name; else `label` is the person's address.
    `unscoped`: the permissions that it would have without scopes.
    """

    id: str
    prefix: str
    organisation: Organisation
    role: Role
    permissions: frozenset[Permission]
    unscoped: frozenset[Permission]
    person: User | None
    holder: str
    label: str


@dataclass(frozen=True)
class ServiceUser:
    """The user of a request with a service account's token: a program, not a person."""

    name: str
    is_authenticated: bool = True
    is_active: bool = True
    pk: None = None


@dataclass(frozen=True)
class TokenRequest:
    """A token to make: its name, role, days until it expires, allowed networks (empty: all), and scopes.

    `scopes` are the permissions of the role that it has; empty: all of them.
    """

    name: str
    role: Role
    days: int
    networks: Sequence[str] = ()
    scopes: Sequence[Permission] = ()


class TokenAuthentication(BearerAuthentication):
    """Finds the person and the token in the database; one query."""

    def identify(self, token: str, address: str) -> tuple[User | ServiceUser, TokenInUse]:
        """Return the person, or the service account, and the token. Raises `BadToken` with what to do."""
        key_id = TOKEN.key_id(token)
        with installation_context("the token determines its organisation"):
            found = _find(key_id) if key_id else None
        right = TOKEN.opens(token, found.digest if found else None)
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
    unscoped = ALLOWED[role] if account is None else shared(role, Role(account.role))
    used = TokenInUse(
        id=str(found.pk),
        prefix=str(found),
        organisation=found.organisation,
        role=role,
        permissions=unscoped & {Permission(each) for each in found.scopes} if found.scopes else unscoped,
        unscoped=unscoped,
        person=found.user,
        holder=str(found.user_id or found.service_account_id),
        label=holder_of(found),
    )
    return found.user or ServiceUser(used.label), used


def make_token(user: User, wish: TokenRequest) -> tuple[Token, str]:
    """Return a new token of `user` in the organisation in context, and its text, which is not stored.

    Raises `Faulty` for a role above the person's, a scope outside of it or an invalid network, `Conflict` for too many
    tokens, `NotFound` if the person was removed a moment ago.
    """
    with transaction.atomic():
        lock_organisation()
        return _make(wish, [("your own role", _role_of(user))], user=user)


def make_service_token(account: ServiceAccount, wish: TokenRequest, *, by: User | None) -> tuple[Token, str]:
    """Return a new token of `account`, and its text, as `make_token` does.

    `by` makes it and cannot give more than their own role; None for an administrator of the installation.
    """
    with transaction.atomic():
        lock_organisation()
        roles = [(f"the role of {account.name},", Role(account.role))]
        if by is not None:
            roles.append(("your own role", _role_of(by)))
        return _make(wish, roles, service_account=account)


def _make(wish: TokenRequest, most: Sequence[tuple[str, Role]], **holder: Any) -> tuple[Token, str]:
    faults = [*_role_faults(wish.role, most), *_scope_faults(wish), *_network_faults(wish.networks)]
    if faults:
        raise Faulty(faults)
    now = timezone.now()
    if Token.objects.filter(**holder, revoked_at=None, expires_at__gt=now).count() >= MOST_TOKENS:
        raise Conflict(f"There are already {MOST_TOKENS} valid tokens. Revoke those that are no longer used.")
    secret = TOKEN.make()
    made = Token(
        **holder,
        name=wish.name,
        key_id=secret.key_id,
        digest=secret.digest,
        role=wish.role.value,
        scopes=sorted({each.value for each in wish.scopes}),
        networks=[str(ipaddress.ip_network(each)) for each in wish.networks],
        created_at=now,
        expires_at=now + timedelta(days=wish.days),
    )
    made.save()
    record("token.created", target=target(made), after=_state(made))
    return made, secret.text


def rename_token(token: Token, name: str) -> None:
    """Rename a token of the organisation in context; programs that use it aren't affected.

    Raises `NotFound` if it was deleted a moment ago together with its owner.
    """
    with transaction.atomic():
        lock_organisation()
        before = Token.objects.filter(pk=token.pk).values_list("name", flat=True).first()
        if before is None:
            raise NotFound
        token.name = name
        if name != before:
            token.save(update_fields=["name"])
            record("token.renamed", target=target(token), before={"name": before}, after={"name": name})


def revoke_token(token: Token) -> None:
    """Revoke a token of the organisation in context; the time of the first revocation stays."""
    with transaction.atomic():
        if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
            record("token.revoked", target=target(token), before=_state(token))


def holder_of(token: Token) -> str:
    """Return the address of the person, or the name of the service account, that owns the token."""
    if token.user is not None:
        return token.user.email
    return token.service_account.name if token.service_account else ""


def target(token: Token) -> Target:
    """Return the token as audit events name it."""
    return Target("token", token.pk, f"{token} {token.name}")


def _state(token: Token) -> dict[str, Any]:
    return {
        "of": holder_of(token),
        "role": token.role,
        "scopes": token.scopes,
        "networks": token.networks,
        "expires_at": token.expires_at.isoformat(),
    }


def _find(key_id: str) -> Token | None:
    """Return the token with its person's present role as `present_role`, None if they are not a member any more.

    The only reading of tokens outside of an organisation, because the token determines it.
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
            raise BadToken(f"The service account {account.name} is disabled. Ask an admin of the organisation.")
        return
    if present_role is None or token.user is None or not token.user.is_active:
        raise BadToken("The owner of this token is no longer a member. Ask a member for a token of their own.")


def _check_network(token: Token, address: str) -> None:
    if token.networks and not _inside(address, token.networks):
        raise BadToken("This token may not be used from this network. Use it from one of the networks it was made for.")


def _inside(address: str, networks: Sequence[str]) -> bool:
    try:
        given = ipaddress.ip_address(address)
    except ValueError:
        return False
    mapped = given.ipv4_mapped if isinstance(given, ipaddress.IPv6Address) else None
    return any((mapped or given) in ipaddress.ip_network(each) for each in networks)


def _note_use(token: Token, now: datetime) -> None:
    """Record the last use of the token, at most once a minute; skip it while another write runs, so nobody waits."""
    old = now - USE_NOTED_EVERY
    if (token.last_used_at is not None and token.last_used_at > old) or is_short():
        return
    tokens: TenantQuerySet[Token] = TenantQuerySet(Token)
    due = tokens.filter(Q(last_used_at=None) | Q(last_used_at__lte=old), pk=token.pk)
    with suppress(DatabaseLocked), without_waiting():
        due.update(last_used_at=now)


def _role_of(user: User) -> Role:
    """Return the present role of `user` here. Raises `NotFound` if they were removed a moment ago."""
    membership = Membership.objects.filter(user=user, organisation_id=current_organisation()).first()
    if membership is None:
        raise NotFound
    return Role(membership.role)


def _role_faults(role: Role, most: Sequence[tuple[str, Role]]) -> Iterator[Fault]:
    for whose, each in most:
        if not ALLOWED[role] <= ALLOWED[each]:
            message = f"A token with the role {role} could do more than {whose} {each}."
            yield fault(FaultCode.BAD_SHAPE, message, f"Choose {each} or less.", field="role")


def _scope_faults(wish: TokenRequest) -> Iterator[Fault]:
    for place, each in enumerate(wish.scopes):
        if each not in ALLOWED[wish.role]:
            *others, last = sorted(ALLOWED[wish.role])
            allowed = f"{', '.join(others)} or {last}" if others else last
            message = f"The role {wish.role} may not {each.value}, so its token can't either."
            yield fault(FaultCode.BAD_SHAPE, message, f"Choose {allowed}.", field=f"scopes.{place}")


def _network_faults(networks: Sequence[str]) -> list[Fault]:
    found = []
    for place, each in enumerate(networks):
        try:
            ipaddress.ip_network(each)
        except ValueError:
            remedy = "Write it as 203.0.113.0/24 or 2001:db8::/32, with no bits set after the prefix."
            message = f"{each!r} is not a network."
            found.append(fault(FaultCode.BAD_SHAPE, message, remedy, field=f"allowed_networks.{place}"))
    return found
