"""Settings of an installation. Only this module reads the environment; an unknown or invalid variable stops it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import dj_database_url
from celery.schedules import crontab
from django.core.exceptions import ImproperlyConfigured

from streaming.wire.outgoing import NOTHING
from webapp import environment as read
from webapp.variables import table
from webapp.variables.quotas import QUOTAS
from webapp.variables.reading import Environment

T = TypeVar("T")
BASE_DIR = Path(__file__).resolve().parent.parent
IN_SOURCE_TREE = (BASE_DIR / "pyproject.toml").exists()
"""This is the project's folder, not an installed wheel."""
_ENV = Environment(os.environ)
_VALUES = _ENV.values()


def _checked(reader: Callable[[], T], otherwise: Any) -> T:
    """Return the setting; after an error note it and return `otherwise`, so that one start shows all errors."""
    try:
        return reader()
    except ImproperlyConfigured as error:
        _ENV.problems.append(str(error))
        return cast("T", otherwise)


DEBUG = _ENV.switch("PUNCTUAL_DEBUG")
EMBEDDED = _ENV.switch("PUNCTUAL_EMBEDDED")
"""On one's own machine, as `make up` runs it: plain HTTP on the loopback address and a demo sign-in are allowed."""
OWN_MACHINE = DEBUG or EMBEDDED

PUNCTUAL_DATA = _checked(lambda: read.data_folder(_VALUES, BASE_DIR / "var" if IN_SOURCE_TREE else None), Path())
REDIS_URL = _checked(lambda: read.redis_address(_VALUES, table.VARIABLES["REDIS_URL"].default), "")
_MAY_GENERATE = OWN_MACHINE or not _ENV.is_set("DATABASE_URL")
SECRET_KEY = _checked(lambda: read.secret_key(_VALUES, PUNCTUAL_DATA, may_generate=_MAY_GENERATE), "")
SECRETS_KEYS = _checked(lambda: read.secrets_keys(_VALUES, PUNCTUAL_DATA, may_generate=_MAY_GENERATE), [])
"""The newest encrypts the secrets of connections, all decrypt them (webapp/core/secrets.py)."""
OUTGOING = _checked(
    lambda: read.outgoing(_ENV.parts("PUNCTUAL_OUTGOING_NETWORKS"), _ENV.parts("PUNCTUAL_OUTGOING_PORTS")), NOTHING
)
METRICS_TOKEN = _checked(lambda: read.metrics_token(_VALUES, PUNCTUAL_DATA, may_generate=_MAY_GENERATE), "")
"""The token of `/metrics`; empty: nobody may read it."""
ALLOWED_HOSTS = _ENV.parts("PUNCTUAL_ALLOWED_HOSTS")
CSRF_TRUSTED_ORIGINS = _ENV.parts("PUNCTUAL_TRUSTED_ORIGINS")
SECRETS = table.SECRETS
RUNNER_ENVIRONMENT = _ENV.handed_on
"""The environment of a runner process: everything but this application's secrets and the client's token."""

QUOTA_DEFAULTS = {name: _ENV.number(f"PUNCTUAL_QUOTA_{name.upper()}") for name in QUOTAS}
"""Limits of an organisation, unless an administrator of the installation sets others."""
REQUESTS_PER_SECOND = _ENV.number("PUNCTUAL_REQUESTS_PER_SECOND")
"""Most requests of one person, of one token and of one address each second, over 10 s; 0: no limit."""
DISK_RESERVE_BYTES = _ENV.number("PUNCTUAL_DISK_RESERVE_MB") * 2**20
"""Bytes of the disk of PUNCTUAL_DATA kept free for the platform: below it no data of organisations is written."""
DELETION_GRACE_DAYS = _ENV.number("PUNCTUAL_DELETION_GRACE_DAYS")
"""Days between an owner's request to delete an organisation and its deletion."""

MOST_RUNNERS = _ENV.number("PUNCTUAL_MOST_RUNNERS")
"""Most runners at a time, pooled ones too; the runs of others wait for a place. 0: no limit."""
RUNNERS = _ENV.text("PUNCTUAL_RUNNERS")
"""The place of runners: `here`, started by this installation, or `elsewhere`, as `python -m deploy.runners` prints."""
POOLS = _ENV.number("PUNCTUAL_POOLS")
"""Number of pooled runners for organisations without a runner of their own; 0: each has its own."""
if POOLS and RUNNERS == "elsewhere":
    _ENV.problems.append("PUNCTUAL_RUNNERS=elsewhere does not support pools: set PUNCTUAL_POOLS to 0.")
POOL_ORGANISATIONS = _ENV.number("PUNCTUAL_POOL_ORGANISATIONS")
"""A pooled runner accepts no further organisation while this many have work in it."""
STANDBY_RUNNERS = _ENV.number("PUNCTUAL_STANDBY_RUNNERS")
"""Number of standby runners, 0.9 GB each: an organisation's first start takes 3 s, not 20; `make up` uses 1."""
MOST_ORGANISATIONS = _ENV.number("PUNCTUAL_MOST_ORGANISATIONS")
"""Most organisations that one person may own; staff may own more."""
WORKER_MEMORY_MB = _ENV.number("PUNCTUAL_WORKER_MEMORY_MB")
"""Most memory of a worker of a runner above its size at the start (about 0.2 GB); 0: no limit."""
JVM_MEMORY_MB = _ENV.number("PUNCTUAL_JVM_MEMORY_MB")
"""The largest heap of a runner's JVM."""
RESULTS = _checked(lambda: read.results(_VALUES), None)
"""The place of new organisations' results (`streaming.storage.result_location`); None: PUNCTUAL_DATA."""
JOURNAL_EVENTS = _ENV.number("PUNCTUAL_JOURNAL_EVENTS")
"""Entries of each run's journal that are kept, the newest ones; they are deleted with the run."""
KEEP_RESULTS_DAYS = _ENV.number("PUNCTUAL_KEEP_RESULTS_DAYS")
"""Days for which a runner keeps committed results and quarantine; 0: until somebody deletes them, so that nothing is
lost by default."""

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
    "webapp.accounts.sign_in",  # before allauth: its mail templates take precedence
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
    "webapp.boards",
    "webapp.bundles",
    "webapp.confirmations",
    "webapp.samples",
    "webapp.scenarios",
    "webapp.monitoring",
    "webapp.alerts",
    "webapp.administration",
]
MIDDLEWARE = [
    "webapp.core.http.health.HealthAnswers",
    "webapp.core.http.requests.RequestIds",
    "webapp.telemetry.installation.InstallationMetrics",
    "webapp.core.http.measured.MeasuredRequests",
    "django.middleware.security.SecurityMiddleware",
    "webapp.core.http.compression.CompressedAnswers",
    "webapp.core.http.security.SecurityHeaders",
    "webapp.core.http.unchanged.UnchangedAnswers",
    "webapp.core.http.assets.BuiltFiles",
    "webapp.core.http.bodies.ReadableSignIn",
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
    url = _ENV.text("DATABASE_URL")
    if url:
        try:
            return dict(
                dj_database_url.parse(url, engine="webapp.core.postgresql", conn_max_age=0, conn_health_checks=True)
            )
        except ValueError:  # its message could contain the password
            raise ImproperlyConfigured(
                "DATABASE_URL can't be read. Write postgresql://USER:PASSWORD@HOST:PORT/NAME; percent-encode special "
                "characters of the password."
            ) from None
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": PUNCTUAL_DATA / "punctual.sqlite3",
        "OPTIONS": {
            "timeout": 5,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
        },
    }


DATABASES = {"default": _checked(_database, {})}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "json",  # values in another format are never read
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
SIGN_UP = _ENV.text("PUNCTUAL_SIGN_UP") or ("open" if EMBEDDED else "invitation")
"""People who may make an account: everybody, or holders of an invitation."""
ADDRESS_OF_PAGES = _checked(
    lambda: read.address(_VALUES, "PUNCTUAL_ADDRESS_OF_PAGES", f"http://127.0.0.1:{_ENV.number('PORT')}"), ""
)
"""The address of the pages, in mails and for a provider of OpenID Connect; never taken from a Host header."""
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
        "APPS": _checked(lambda: read.openid_providers(_VALUES), []),
    }
}
FORM_TARGETS = read.origins_of(SOCIALACCOUNT_PROVIDERS["openid_connect"]["APPS"])
"""Targets of the sign-in form's redirects: Chromium applies the page's `form-action` to redirects of a form too."""
globals().update(_checked(lambda: read.mail(_VALUES), {}))
DEFAULT_FROM_EMAIL = SERVER_EMAIL = _ENV.text("PUNCTUAL_MAIL_FROM")

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "webapp.accounts.tokens.TokenAuthentication",
        "webapp.core.http.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_THROTTLE_CLASSES": ["webapp.accounts.limits.request_rates.RequestRates"],
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
CELERY_WORKER_HIJACK_ROOT_LOGGER = False  # a line for each cycle of the reconciler would hide all others
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # in memory: the default writes files and ends on a full disk
CELERY_BEAT_SCHEDULE = {
    "keep-house": {"task": "webapp.administration.tasks.keep_house", "schedule": crontab(minute=7)},
    "roll-up": {"task": "webapp.monitoring.tasks.roll_up_all", "schedule": 10.0, "options": {"expires": 10.0}},
    "alerts": {"task": "webapp.alerts.tasks.decide_all", "schedule": 10.0, "options": {"expires": 10.0}},
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
_PAGES = BASE_DIR / "frontend" if IN_SOURCE_TREE else BASE_DIR / "webapp" / "frontend"
"""A wheel contains the built pages."""
FRONTEND = _PAGES / "dist"
OPENAPI_FILE = _PAGES / "openapi.json"
if FRONTEND.is_dir():
    WHITENOISE_ROOT = FRONTEND
WHITENOISE_AUTOREFRESH = False
WHITENOISE_USE_FINDERS = True  # the few files of the installation's pages are in their packages
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
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"  # Strict would sign out people who follow a link in a mail
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_HTTPONLY = False  # the pages send it in a header; a script that can read it can send requests anyway
if not OWN_MACHINE:
    # A browser accepts such a name only over TLS, for this host and all its paths, so no other host can set one.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SECURE_SSL_REDIRECT = not OWN_MACHINE
SECURE_HSTS_SECONDS = 0 if OWN_MACHINE else 31_536_000
SECURE_HSTS_INCLUDE_SUBDOMAINS = not OWN_MACHINE
SECURE_HSTS_PRELOAD = False
SILENCED_SYSTEM_CHECKS = ["security.W021"]
"""Browsers contain the preload list for years, for a whole domain, so its owner must decide, at the proxy."""
BEHIND_PROXY = _ENV.switch("PUNCTUAL_BEHIND_PROXY")
if BEHIND_PROXY:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
TRUSTED_PROXIES = _checked(lambda: read.networks(_VALUES, "PUNCTUAL_TRUSTED_PROXIES"), ())
"""Proxies whose X-Forwarded-For is believed; if any is named, other senders' proxy headers are removed."""
X_FRAME_OPTIONS = "DENY"

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request": {"()": "webapp.core.http.requests.RequestOfLine"}},
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s"},
        "json": {"()": "webapp.core.log_lines.JsonRequestLines"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": _ENV.text("PUNCTUAL_LOG_FORMAT"),
            "filters": ["request"],
        }
    },
    "loggers": {name: {"level": "WARNING"} for name in ("celery.beat", "celery.app.trace", "celery.worker.strategy")},
    "root": {"handlers": ["console"], "level": _ENV.text("PUNCTUAL_LOG_LEVEL")},
}

if _ENV.problems:
    raise ImproperlyConfigured("\n".join(_ENV.problems))
