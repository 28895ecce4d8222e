"""Users, organisations, memberships and tokens."""

import uuid
from typing import Any, ClassVar

from django.contrib.auth.models import AbstractUser, BaseUserManager
from django.core.validators import RegexValidator
from django.db import models

from webapp.accounts.permissions import Role
from webapp.core.tenancy import TenantModel


class UserAccounts(BaseUserManager["User"]):
    """Creates users, who sign in by their e-mail address."""

    def create_user(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user; without a password nobody can sign in as them."""
        user = self.model(email=self.normalize_email(email), **fields)
        user.set_password(password)
        user.save(using=self._db)
        return user

    def create_superuser(self, email: str, password: str | None = None, **fields: Any) -> "User":
        """Create a user who runs the installation."""
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
    """The tenant: owns everything below it, and nothing crosses."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    slug = models.CharField(
        max_length=40,
        unique=True,
        validators=[RegexValidator(r"^[a-z0-9][a-z0-9-]*$", "Use small letters, digits and hyphens.")],
    )
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.slug


class Membership(models.Model):
    """That a user belongs to an organisation, in one role."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organisation = models.ForeignKey(Organisation, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=20, choices=[(role.value, role.value) for role in Role])

    class Meta:
        """One membership for each user and organisation."""

        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organisation", "user"], name="one_membership_each"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.role} of {self.organisation_id}"


class Token(TenantModel):
    """What a program shows instead of a session: it acts for `user` in one organisation, in at most `role`.

    `digest` is the HMAC of the secret; the secret itself is nowhere. A token is never deleted by its person, but
    revoked, so that what was once done with it can be named. `networks` are CIDRs; none: from everywhere.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=80)
    key_id = models.CharField(max_length=20, unique=True)
    digest = models.CharField(max_length=64)
    role = models.CharField(max_length=20, choices=[(role.value, role.value) for role in Role])
    networks = models.JSONField(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    class Meta(TenantModel.Meta):
        """Newest first."""

        ordering: ClassVar = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"pct_{self.key_id}"
