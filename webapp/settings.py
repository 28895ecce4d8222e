"""Settings of an installation. This module alone reads the environment; an unknown or unreadable variable stops it."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Any

import dj_database_url
from django.core.exceptions import ImproperlyConfigured
from pydantic import ValidationError

from streaming.definition.shape_errors import sentences
from streaming.wire.outgoing import OutgoingPolicy
from webapp.environment import QUOTAS, address, mail, networks, openid_providers, origins_of, results, whole

BASE_DIR = Path(__file__).resolve().parent.parent

_NAMES = """
DATA SECRET_KEY SECRETS_KEYS DEBUG EMBEDDED ALLOWED_HOSTS TRUSTED_ORIGINS BEHIND_PROXY TRUSTED_PROXIES LOG_LEVEL
OUTGOING_NETWORKS OUTGOING_PORTS SIGN_UP DELETION_GRACE_DAYS ADDRESS_OF_PAGES SMTP_URL MAIL_FROM OIDC_ISSUER
OIDC_CLIENT_ID OIDC_CLIENT_SECRET OIDC_NAME MOST_RUNNERS MOST_ORGANISATIONS WORKER_MEMORY_MB JVM_MEMORY_MB
KEEP_RESULTS_DAYS JOURNAL_EVENTS RESULTS POOLS POOL_ORGANISATIONS STANDBY_RUNNERS
RUNNERS"""
KNOWN = frozenset(f"PUNCTUAL_{name}" for name in (*_NAMES.split(), *(f"QUOTA_{name.upper()}" for name in QUOTAS)))
OF_THE_CLIENT = frozenset({"PUNCTUAL_ADDRESS", "PUNCTUAL_TOKEN", "PUNCTUAL_ORGANISATION"})
"""What the command line client reads; a shell that is set up for it may start an installation too. Not read here."""
SECRETS = frozenset({"PUNCTUAL_SECRET_KEY", "PUNCTUAL_SECRETS_KEYS", "DATABASE_URL", "REDIS_URL"}) | OF_THE_CLIENT
SECRETS = SECRETS | {"PUNCTUAL_SMTP_URL", "PUNCTUAL_OIDC_CLIENT_SECRET"}
"""What no runner inherits; `webapp.runs.runners.launching` tells it on its standard input what it needs."""


def _switch(name: str) -> bool:
    value = os.environ.get(name, "0")
    if value not in {"0", "1"}:
        raise ImproperlyConfigured(f"{name} is {value!r}: set it to 0 or 1.")
    return value == "1"


def _choice(name: str, allowed: tuple[str, ...], default: str) -> str:
    value = os.environ.get(name) or default
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}: set it to {' or '.join(allowed)}.")
    return value


def _names(name: str, default: str) -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def _refuse_unknown() -> None:
    unknown = sorted(name for name in os.environ if name.startswith("PUNCTUAL_") and name not in KNOWN | OF_THE_CLIENT)
    if unknown:
        raise ImproperlyConfigured(
            f"Unknown settings in the environment: {', '.join(unknown)}. Known are: {', '.join(sorted(KNOWN))}."
        )


def _secret_key(data: Path, *, may_generate: bool) -> str:
    """Return the key of the environment, or, on a single machine, one that is generated once and kept in `data`."""
    given = os.environ.get("PUNCTUAL_SECRET_KEY", "")
    if len(given) >= 50:
        return given
    if given or not may_generate:
        raise ImproperlyConfigured("PUNCTUAL_SECRET_KEY must be set to at least 50 random characters.")
    return _generated(data / "secret_key")


def _secrets_keys(data: Path, *, may_generate: bool) -> list[str]:
    """Return the keys that seal the secrets of connections, newest first; generated where the other one may be."""
    keys = _names("PUNCTUAL_SECRETS_KEYS", "")
    if not keys and may_generate:
        keys = [key.strip() for key in _generated(data / "secrets_keys").split(",")]
    if not keys or any(len(key) < 32 for key in keys):
        raise ImproperlyConfigured(
            "PUNCTUAL_SECRETS_KEYS must be set to keys of at least 32 random characters each, separated by commas, the "
            "newest first. Make one with: python -c 'import secrets; print(secrets.token_urlsafe(48))'."
        )
    return keys


def _generated(kept: Path) -> str:
    """Return what is kept in the file, which only its owner may read; written at the first start."""
    if not kept.exists():
        staged = kept.with_name(f"{kept.name}.{os.getpid()}")
        staged.touch(mode=0o600)
        staged.write_text(secrets.token_urlsafe(48))
        with suppress(FileExistsError):  # another process of this installation was first
            os.link(staged, kept)
        staged.unlink()
    return kept.read_text()


def _outgoing() -> OutgoingPolicy:
    """Return where adapters may connect to: the public internet at a few ports, and the networks that are named."""
    networks = _names("PUNCTUAL_OUTGOING_NETWORKS", "")
    ports = _names("PUNCTUAL_OUTGOING_PORTS", "443,8443")
    try:
        return OutgoingPolicy.model_validate({"networks": networks, "ports": ports})
    except ValidationError as error:
        message = sentences(error, {"networks": networks, "ports": ports})
        raise ImproperlyConfigured(f"PUNCTUAL_OUTGOING_NETWORKS or PUNCTUAL_OUTGOING_PORTS: {message}.") from None


_refuse_unknown()

DEBUG = _switch("PUNCTUAL_DEBUG")
EMBEDDED = _switch("PUNCTUAL_EMBEDDED")
"""On one's own machine, as `make up` runs it: plain HTTP on the loopback address and a demo sign-in are allowed."""
OWN_MACHINE = DEBUG or EMBEDDED

PUNCTUAL_DATA = Path(os.environ.get("PUNCTUAL_DATA") or BASE_DIR / "var").resolve()
PUNCTUAL_DATA.mkdir(parents=True, exist_ok=True)
REDIS_URL = os.environ.get("REDIS_URL") or "redis://127.0.0.1:6379/0"
if not REDIS_URL.startswith(("redis://", "rediss://", "unix://")):
    raise ImproperlyConfigured("REDIS_URL must begin with redis://, rediss:// or unix://.")
_MAY_GENERATE = OWN_MACHINE or not os.environ.get("DATABASE_URL")
SECRET_KEY = _secret_key(PUNCTUAL_DATA, may_generate=_MAY_GENERATE)
SECRETS_KEYS = _secrets_keys(PUNCTUAL_DATA, may_generate=_MAY_GENERATE)
"""The newest seals the secrets of connections, all open them (webapp/core/secrets.py)."""
OUTGOING = _outgoing()
ALLOWED_HOSTS = _names("PUNCTUAL_ALLOWED_HOSTS", "127.0.0.1,localhost,[::1]")
CSRF_TRUSTED_ORIGINS = _names("PUNCTUAL_TRUSTED_ORIGINS", "")
RUNNER_ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in SECRETS}
"""What a runner process inherits: everything but this application's secrets and the client's token."""

QUOTA_DEFAULTS = {name: whole(os.environ, f"PUNCTUAL_QUOTA_{name.upper()}", value) for name, value in QUOTAS.items()}
"""What an organisation may use where the installation's admins have said nothing else."""
DELETION_GRACE_DAYS = whole(os.environ, "PUNCTUAL_DELETION_GRACE_DAYS", 14)
"""Days between an owner's wish to delete an organisation and its deletion."""

MOST_RUNNERS = whole(os.environ, "PUNCTUAL_MOST_RUNNERS", 8)
"""So many runners there are at a time, pooled ones too; runs of others wait for a place. 0: as many as are wanted."""
RUNNERS = _choice("PUNCTUAL_RUNNERS", ("here", "elsewhere"), "here")
"""Who starts runners: this installation on its machine, or others, by what `python -m deploy.runners` prints."""
POOLS = whole(os.environ, "PUNCTUAL_POOLS", 0)
"""So many pooled runners carry the runs of organisations that have no runner of their own; 0: each has its own."""
if POOLS and RUNNERS == "elsewhere":
    raise ImproperlyConfigured("PUNCTUAL_RUNNERS=elsewhere knows no pools: set PUNCTUAL_POOLS to 0.")
POOL_ORGANISATIONS = whole(os.environ, "PUNCTUAL_POOL_ORGANISATIONS", 200)
"""A pooled runner takes no further organisation while so many have something to do in it."""
STANDBY_RUNNERS = whole(os.environ, "PUNCTUAL_STANDBY_RUNNERS", 0)
"""So many runners stand by, 0.9 GB each, so that an organisation's first start takes 3 s, not 20; `make up` keeps 1."""
MOST_ORGANISATIONS = whole(os.environ, "PUNCTUAL_MOST_ORGANISATIONS", 20)
"""So many organisations one person may own; staff may own more."""
WORKER_MEMORY_MB = whole(os.environ, "PUNCTUAL_WORKER_MEMORY_MB", 1_024)
"""So much memory a worker of a runner may use beyond what it begins with (about 0.2 GB); 0: no limit."""
JVM_MEMORY_MB = whole(os.environ, "PUNCTUAL_JVM_MEMORY_MB", 2_048)
"""The largest heap of a runner's JVM."""
RESULTS = results(os.environ)
"""Where results of organisations lie that have none yet (`streaming.wire.result_location`); None: in PUNCTUAL_DATA."""
JOURNAL_EVENTS = whole(os.environ, "PUNCTUAL_JOURNAL_EVENTS", 2_000)
"""So many entries are kept of each run's journal, the newest ones; they go with the run."""
KEEP_RESULTS_DAYS = whole(os.environ, "PUNCTUAL_KEEP_RESULTS_DAYS", 0)
"""So many days a runner keeps committed results and quarantine, then they go; 0: until somebody deletes them, so that
nothing is lost by default."""

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "hijack",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "rest_framework",
    "drf_spectacular",
    "webapp.accounts.sign_in",  # before allauth: its templates of mails go first
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.headless",
    "webapp.core",
    "webapp.audit",
    "webapp.accounts",
    "webapp.streams",
    "webapp.uploads",
    "webapp.queries",
    "webapp.runs",
    "webapp.bundles",
    "webapp.samples",
    "webapp.scenarios",
    "webapp.monitoring",
    "webapp.administration",
]
MIDDLEWARE = [
    "webapp.core.health.HealthAnswers",
    "webapp.core.requests.RequestIds",
    "django.middleware.security.SecurityMiddleware",
    "webapp.core.compression.CompressedAnswers",
    "webapp.core.security.SecurityHeaders",
    "webapp.core.unchanged.UnchangedAnswers",
    "webapp.core.assets.BuiltFiles",
    "webapp.core.bodies.ReadableSignIn",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "webapp.administration.impersonation.ImpersonationLimits",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "webapp.accounts.sign_in.activity.LastSeen",
    "webapp.accounts.sign_in.limits.SignInLimits",
]
ROOT_URLCONF = "webapp.urls"
ASGI_APPLICATION = "webapp.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def _database() -> dict[str, Any]:
    url = os.environ.get("DATABASE_URL")
    if url:
        return dict(
            dj_database_url.parse(url, engine="webapp.core.postgresql", conn_max_age=0, conn_health_checks=True)
        )
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": PUNCTUAL_DATA / "punctual.sqlite3",
        "OPTIONS": {
            "timeout": 5,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


DATABASES = {"default": _database()}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "json",  # what was written in another form is not read
        "OPTIONS": {"serializer": "webapp.core.cached_values.JSONValues"},
    }
}

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SIGN_UP = _choice("PUNCTUAL_SIGN_UP", ("open", "invitation"), "open" if EMBEDDED else "invitation")
"""Who may make an account: everybody, or who holds an invitation."""
ADDRESS_OF_PAGES = address(
    os.environ, "PUNCTUAL_ADDRESS_OF_PAGES", f"http://127.0.0.1:{os.environ.get('PORT') or 8000}"
)
"""Where the pages are, in mails and towards a provider of OpenID Connect; never what a Host header says."""
ACCOUNT_ADAPTER = "webapp.accounts.sign_in.adapters.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_SIGNUP_FORM_CLASS = "webapp.accounts.sign_in.sign_up.SignUpForm"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_EMAIL_CONFIRMATION_EXPIRE_DAYS = 1
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = {"reset_password": "20/m/ip,5/h/key", "signup": "20/m/ip"}  # nosec B105 # a name or a sentence, no password
PASSWORD_RESET_TIMEOUT = 3_600
HEADLESS_ONLY = True
HEADLESS_CLIENTS = ("browser",)
HEADLESS_FRONTEND_URLS = {
    "account_confirm_email": f"{ADDRESS_OF_PAGES}/verify-email/{{key}}",
    "account_reset_password": f"{ADDRESS_OF_PAGES}/reset-password",
    "account_reset_password_from_key": f"{ADDRESS_OF_PAGES}/reset-password/{{key}}",
    "account_signup": f"{ADDRESS_OF_PAGES}/sign-up",
    "socialaccount_login_error": f"{ADDRESS_OF_PAGES}/sign-in",
}
USERSESSIONS_TRACK_ACTIVITY = True  # by webapp.accounts.sign_in.activity; this shows it in the list
MFA_ADAPTER = "webapp.accounts.sign_in.second_factors.SecondFactors"
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes", "webauthn"]
MFA_PASSKEY_LOGIN_ENABLED = True
SOCIALACCOUNT_ADAPTER = "webapp.accounts.sign_in.openid.Providers"
SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = True
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "provider_class": "webapp.accounts.sign_in.openid.OpenID",
        "OAUTH_PKCE_ENABLED": True,
        "APPS": openid_providers(os.environ),
    }
}
FORM_TARGETS = origins_of(SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"])
"""Where the form of sign-in may lead on: Chromium applies the page's `form-action` to redirects of a form too."""
globals().update(mail(os.environ))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = os.environ.get("PUNCTUAL_MAIL_FROM") or "Punctual <punctual@localhost>"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "webapp.accounts.tokens.TokenAuthentication",
        "webapp.core.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "webapp.core.errors.as_response",
    "URL_FORMAT_OVERRIDE": None,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Punctual",
    "VERSION": "1",
    "DESCRIPTION": "Event-time queries, exact about lateness. Event times are ticks (us since 1970); null is infinity.",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "DISABLE_ERRORS_AND_WARNINGS": False,
    "SCHEMA_PATH_PREFIX": r"/api/(t/\{slug\}/)?",
    "POSTPROCESSING_HOOKS": [],  # the models name their enumerations themselves
}

CELERY_BROKER_URL = REDIS_URL.replace("unix://", "redis+socket://", 1)
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_TIME_LIMIT = 60
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False  # a line for each turn of the reconciler would hide all others
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(PUNCTUAL_DATA / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = {
    "keep-house": {"task": "webapp.administration.tasks.keep_house", "schedule": 3_600.0},
    "roll-up": {"task": "webapp.monitoring.tasks.roll_up_all", "schedule": 10.0, "options": {"expires": 10.0}},
    "footprints": {"task": "webapp.runs.tasks.tend_all", "schedule": 30.0, "options": {"expires": 30.0}},
    "pools": {"task": "webapp.runs.tasks.reconcile_pools", "schedule": 3.0, "options": {"expires": 3.0}},
    "standbys": {"task": "webapp.runs.tasks.keep_standbys", "schedule": 5.0, "options": {"expires": 5.0}},
    "reconcile": {"task": "webapp.runs.tasks.reconcile_all", "schedule": 3.0, "options": {"expires": 3.0}},
}

LANGUAGE_CODE = "en"
FORMAT_MODULE_PATH = "webapp.core.formats"
TIME_ZONE = "UTC"
USE_TZ = True
STATIC_URL = "/static/"
FRONTEND = BASE_DIR / "frontend" / "dist"
OPENAPI_FILE = BASE_DIR / "frontend" / "openapi.json"
if FRONTEND.is_dir():
    WHITENOISE_ROOT = FRONTEND
WHITENOISE_AUTOREFRESH = False
WHITENOISE_USE_FINDERS = True  # the few files of the installation's pages lie in their packages
HIJACK_PERMISSION_CHECK = "webapp.administration.impersonation.may_act_as"
HIJACK_INSERT_BEFORE = None  # the pages draw the banner themselves
LOGIN_URL = "/sign-in"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/installation/"
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_IMMUTABLE_FILE_TEST = r"^/assets/"  # Vite puts a hash of the content into these names
APPEND_SLASH = True
DATA_UPLOAD_MAX_MEMORY_SIZE = 8 * 1024 * 1024  # webapp.core.api sets narrower limits, address by address

SESSION_COOKIE_AGE = 7 * 24 * 3_600  # counted from sign-in, however often the session is used
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not OWN_MACHINE
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"  # Strict would sign out whoever follows a link in a mail
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = False  # the pages send it back in a header; who could read it could send requests anyway
if not OWN_MACHINE:
    # A browser takes such a name only over TLS, for this host alone and all of its paths: no neighbour can plant one.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = not OWN_MACHINE
SECURE_HSTS_SECONDS = 0 if OWN_MACHINE else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not OWN_MACHINE
SECURE_HSTS_PRELOAD = False
SILENCED_SYSTEM_CHECKS = ["security.W021"]
"""Preloading is built into browsers for years, for a whole domain: its owner decides on that, at the proxy, not we."""
if _switch("PUNCTUAL_BEHIND_PROXY"):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
TRUSTED_PROXIES = networks(os.environ, "PUNCTUAL_TRUSTED_PROXIES")
"""Whose X-Forwarded-For is believed; where one is named, nobody else's headers of proxies are."""
X_FRAME_OPTIONS = "DENY"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "webapp.core.requests.RequestOfLine"}},
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request"]}},
    "loggers": {name: {"level": "WARNING"} for name in ("celery.beat", "celery.app.trace", "celery.worker.strategy")},
    "root": {"handlers": ["console"], "level": os.environ.get("PUNCTUAL_LOG_LEVEL", "INFO")},
}
