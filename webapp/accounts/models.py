"""Users, organisations, memberships and tokens."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.core.validators import RegexValidator
from django.db import models, transaction
from django.utils import timezone

from webapp.accounts.permissions import Role
from webapp.core.tenancy import TenantModel


class UserAccounts(BaseUserManager["User"]):
    """Creates users, who sign in with their e-mail address. allauth creates people who sign up."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user; without a password nobody can sign in as them.

        The address counts as verified, because an administrator entered it.
        """
        from allauth.account.models import EmailAddress  # it needs the user model

        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        with transaction.atomic(using=self._db):
            user.save(using=self._db)
            EmailAddress.objects.create(user=user, email=user.email.lower(), primary=True, verified=True)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create an administrator of the installation."""
        return self.create_user(email, password, is_staff=True, is_superuser=True, **fields)


class User(AbstractUser):
    """A person; the e-mail address is the name they sign in with."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    username = None  # type: ignore[assignment]
    email = models.EmailField(unique=True)

    USERNAME_FIELD = "email"
    REQUIRED_FIELDS: ClassVar[list[str]] = []

    objects: ClassVar[UserAccounts] = UserAccounts()  # type: ignore[assignment]

    def __str__(self) -> str:
        return self.email


class Organisation(models.Model):
    """The tenant: owns everything below it; organisations never share data.

    `delete_after`: an owner requested its deletion. Until then nothing runs, everything is readable, and the deletion
    can be cancelled.
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(
        max_length=40,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]*$", "Use small letters, digits and hyphens.")],
    )
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.CharField(max_length=254, default="")
    delete_after = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """A user's membership of an organisation, in one role."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=[(role.value, role.value) for role in Role])
    joined_at = models.DateTimeField(default=timezone.now)

    class Meta:
        """One membership for each user and organisation."""

        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "user"], name="one_membership_each"),
        ]

    def __str__(self) -> str:
        return self.role


class ServiceAccount(TenantModel):
    """A program that works in the organisation under its own name: it has a role and tokens, but cannot sign in."""

    exported = ("id", "name", "role", "created_at", "created_by", "disabled_at")

    name = models.CharField(max_length=80)
    role = models.CharField(max_length=20, choices=[(role.value, role.value) for role in Role])
    created_at = models.DateTimeField()
    created_by = models.CharField(max_length=254)
    disabled_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Names are unique in an organisation."""

        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "name"], name="service_account_name_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Token(TenantModel):
    """A program's credential instead of a session: it acts for a person or a service account, in at most `role`.

    `digest` is the HMAC of the secret; the secret is not stored. People revoke tokens and never delete them, so that
    past actions stay attributable. `networks` are CIDRs; empty: usable from everywhere. `scopes` are permissions;
    empty: all of its role. permissions; none: all of its role.
    """

    exported = (
        "name",
        "key_id",
        "role",
        "scopes",
        "networks",
        "created_at",
        "expires_at",
        "last_used_at",
        "revoked_at",
    )

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+", null=True)
    service_account = models.ForeignKey(ServiceAccount, on_delete=models.CASCADE, related_name="tokens", null=True)
    name = models.CharField(max_length=80)
    key_id = models.CharField(max_length=20, unique=True)
    digest = models.CharField(max_length=64)
    role = models.CharField(max_length=20, choices=[(role.value, role.value) for role in Role])
    scopes = models.JSONField(default=list)
    networks = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first; each token belongs to a person or to a service account."""

        ordering: ClassVar = ["-created_at", "-pk"]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=models.Q(user__isnull=True) ^ models.Q(service_account__isnull=True), name="token_of_one"
            ),
        ]

    def __str__(self) -> str:
        return f"pct_{self.key_id}"


class Invitation(TenantModel):
    """An invitation for `email` to join in `role`; `digest` is the HMAC of the secret in the mail."""

    exported = ("email", "role", "invited_by", "created_at", "expires_at", "accepted_at", "revoked_at")

    email = models.EmailField()
    role = models.CharField(max_length=20, choices=[(role.value, role.value) for role in Role])
    key_id = models.CharField(max_length=20, unique=True)
    digest = models.CharField(max_length=64)
    invited_by = models.CharField(max_length=254)
    created_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    expires_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first; one open invitation for each address."""

        ordering: ClassVar = ["-created_at", "-pk"]
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organisation", "email"],
                condition=models.Q(accepted_at__isnull=True, revoked_at__isnull=True),
                name="one_open_invitation_each",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} {self.role}"


class OrganisationLimit(TenantModel):
    """A limit that the installation's administrators set for this organisation; without a row the default applies."""

    exported = ("quota", "value")

    quota = models.CharField(max_length=40)
    value = models.PositiveBigIntegerField()

    class Meta(TenantModel.Meta):
        """One for each quota."""

        ordering: ClassVar = ["quota"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["organisation", "quota"], name="one_limit_each")]

    def __str__(self) -> str:
        return f"{self.quota} {self.value}"


class PreviewUse(TenantModel):
    """Computing time of one person's previews, replays or repairs on one UTC day.

    `person` is the id of a person or of a service account; empty for the program itself, and in rows of old releases.
    """

    exported = ("day", "kind", "person", "milliseconds")

    day = models.DateField()
    kind = models.CharField(max_length=10, default="preview")
    person = models.CharField(max_length=36, default="")
    milliseconds = models.PositiveBigIntegerField(default=0)

    class Meta(TenantModel.Meta):
        """One for each day, kind and person."""

        ordering: ClassVar = ["-day", "kind", "person"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "day", "kind", "person"], name="one_preview_use_each")
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.milliseconds} ms"
