"""Sign-in with a provider of OpenID Connect: allauth's code flow with PKCE and state, and the checks that it lacks.

allauth sends no nonce, takes the claims of the user-info endpoint without comparing its subject, and reads
`email_verified` for its truth, so that the text "false" counts. Here an ID token must contain the nonce of this
session, be signed by the provider's key, and name the same subject; and only `true` counts as verified.
"""

import logging
from typing import Any, Final

import jwt
import requests
from allauth.account.models import EmailAddress
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.models import SocialAccount
from allauth.socialaccount.providers.base.constants import AuthError, AuthProcess
from allauth.socialaccount.providers.oauth2.client import OAuth2Error
from allauth.socialaccount.providers.oauth2.views import OAuth2CallbackView
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, get_random_string

from webapp.accounts.models import User
from webapp.accounts.sign_in.invited import is_invited

logger = logging.getLogger(__name__)

ALGORITHMS: Final = frozenset(
    {"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}
)
"""Signatures by a key that only the provider has; `none` and shared secrets are refused."""
CLOCKS_DIFFER_S: Final = 30
KEPT: Final = ("sub", "name", "email", "email_verified")
"""Claims that are stored; the provider may send far more about a person."""


class ProviderRefusal(OAuth2Error):  # type: ignore[misc]
    """The provider's answer is refused; the sentence says why, and contains nothing of the answer."""


class OpenIDFlow(OpenIDConnectOAuth2Adapter):  # type: ignore[misc]
    """The code flow. `nonce` is the one that this session sent; every other one is refused."""

    nonce: str | None = None

    @property
    def openid_config(self) -> dict[str, Any]:
        """Return the provider's description of itself. Raises `ProviderRefusal` if it names another issuer."""
        found: dict[str, Any] = super().openid_config
        asked = self.get_provider().app.settings["server_url"]
        if str(found.get("issuer")).rstrip("/") != asked.rstrip("/"):
            raise ProviderRefusal("The provider names another issuer than PUNCTUAL_OIDC_ISSUER.")
        return found

    def get_callback_url(self, request: HttpRequest, app: Any) -> str:  # noqa: ARG002
        """Return the registered address to which the provider redirects, independent of the Host header."""
        return callback_address(self.provider_id)

    def complete_login(self, request: HttpRequest, app: Any, token: Any, **kwargs: Any) -> Any:  # noqa: ARG002
        """Return the person who signed in. Raises `ProviderRefusal` for an absent, forged or foreign ID token."""
        claims = self._id_token(kwargs["response"].get("id_token", ""))
        user_info = self._fetch_user_info(token.token) if self.openid_config.get("userinfo_endpoint") else {}
        if user_info and user_info.get("sub") != claims["sub"]:
            raise ProviderRefusal("The user information names another subject than the ID token.")
        return self.get_provider().sociallogin_from_response(request, {"userinfo": {**claims, **user_info}})

    def _id_token(self, text: Any) -> dict[str, Any]:
        try:
            header = jwt.get_unverified_header(text)
            if header.get("alg") not in ALGORITHMS:
                raise ProviderRefusal("The ID token is not signed by a key of the provider.")
            claims: dict[str, Any] = jwt.decode(
                text,
                key=self._key(header.get("kid")),
                algorithms=[header["alg"]],
                issuer=self.openid_config["issuer"],
                audience=self.get_provider().app.client_id,
                leeway=CLOCKS_DIFFER_S,
                options={"require": ["iss", "aud", "exp", "iat", "sub"]},
            )
        except jwt.PyJWTError as error:
            raise ProviderRefusal(f"The ID token is invalid ({type(error).__name__}).") from error
        if not self.nonce or not constant_time_compare(str(claims.get("nonce", "")), self.nonce):
            raise ProviderRefusal("The ID token belongs to another session.")
        return claims

    def _key(self, name: str | None) -> jwt.PyJWK:
        """Return the provider's key of that name; without a name, the provider's only key."""
        with Providers().get_requests_session() as session:
            answered = session.get(self.openid_config["jwks_uri"])
        answered.raise_for_status()
        keys = [each for each in jwt.PyJWKSet.from_dict(answered.json()).keys if name in {None, each.key_id}]
        if len(keys) != 1:
            raise ProviderRefusal("The ID token is signed by a key that the provider does not publish.")
        return keys[0]


class OpenID(OpenIDConnectProvider):  # type: ignore[misc]
    """The provider of the settings. ID tokens that did not come with our redirect are refused: they lack our nonce."""

    oauth2_adapter_class = OpenIDFlow
    supports_token_authentication = False

    def redirect(self, request: HttpRequest, process: str, next_url: str | None = None, **kwargs: Any) -> HttpResponse:
        """Send the person to the provider; back to `next_url` with an error if it is unreachable."""
        kwargs["nonce"] = get_random_string(32)
        kwargs["auth_params"] = {**self.get_auth_params(), "nonce": kwargs["nonce"]}
        try:
            answered: HttpResponse = super().redirect(request, process, next_url, **kwargs)
        except (requests.RequestException, OAuth2Error, KeyError, ValueError) as error:
            state = {"process": process, "next": next_url, "headless": True}
            return failed(request, self, error, {"state": state})
        return answered

    def extract_extra_data(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return the few claims that are stored."""
        return {"userinfo": {name: data["userinfo"][name] for name in KEPT if name in data["userinfo"]}}

    def extract_email_addresses(self, data: dict[str, Any]) -> list[EmailAddress]:
        """Return the address, verified only if the provider sends `true`."""
        claims = data["userinfo"]
        if not claims.get("email"):
            return []
        return [EmailAddress(email=claims["email"], verified=claims.get("email_verified") is True, primary=True)]


class Callback(OAuth2CallbackView):  # type: ignore[misc]
    """The view to which the provider redirects."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        """Finish the sign-in, or return to the sign-in page with an error."""
        try:
            return super().dispatch(request, *args, **kwargs)
        except (requests.RequestException, OAuth2Error, KeyError, ValueError) as error:
            return failed(request, self.adapter.get_provider(), error, {})

    def _get_state(self, request: HttpRequest, provider: Any) -> Any:
        state, answered = super()._get_state(request, provider)
        self.adapter.nonce = (state or {}).get("nonce")
        return state, answered


class Providers(DefaultSocialAccountAdapter):  # type: ignore[misc]
    """The rules for accounts of the provider: sign-up, connection, errors."""

    error_messages = {  # noqa: RUF012 - allauth reads it from the class
        **DefaultSocialAccountAdapter.error_messages,
        "email_not_verified": "The provider has not verified your address. Verify it there, or sign up here.",
    }

    def on_authentication_error(self, request: HttpRequest, provider: Any, **details: Any) -> None:  # noqa: ARG002
        """Log why the sign-in failed: our own sentence, else only the kind of error, as its text may hold secrets."""
        error = details.get("exception")
        reason = str(error) if isinstance(error, ProviderRefusal) else type(error).__name__
        logger.warning("A sign-in with OpenID Connect failed: %s (%s)", details.get("error") or "unknown", reason)

    def pre_social_login(self, request: HttpRequest, sociallogin: Any) -> None:  # noqa: ARG002
        """Refuse a new account without an address that the provider verified."""
        connecting = sociallogin.state.get("process") == AuthProcess.CONNECT
        if not connecting and not sociallogin.is_existing and verified_address(sociallogin) is None:
            raise self.validation_error("email_not_verified")

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        """Return whether this account may be made: if sign-up is open or its address was invited."""
        address = verified_address(sociallogin)
        return settings.SIGN_UP == "open" or (address is not None and is_invited(request, address))

    def authenticate_by_email(self, sociallogin: Any) -> tuple[User, str] | None:
        """Return the account that has the same address, if both sides verified it.

        Never an administrator's account: the provider's owner would own the installation. Administrators sign in and
        connect the provider themselves. A second factor is required all the same.
        """
        address = verified_address(sociallogin)
        if address is None:
            return None
        found = EmailAddress.objects.filter(email=address, verified=True).select_related("user").first()
        if found is None or not found.user.is_active or found.user.is_staff or found.user.is_superuser:
            return None
        return found.user, address

    def get_connect_redirect_url(self, request: HttpRequest, socialaccount: SocialAccount) -> str:  # noqa: ARG002
        """Return the page of the account."""
        return f"{settings.ADDRESS_OF_PAGES}/account"


def verified_address(sociallogin: Any) -> str | None:
    """Return the address that the provider verified, in small letters; None without one."""
    return next((each.email.lower() for each in sociallogin.email_addresses if each.verified), None)


def callback_address(provider: str) -> str:
    """Return the address to register at the provider."""
    return f"{settings.ADDRESS_OF_PAGES}/_allauth/oidc/{provider}/callback/"


def failed(request: HttpRequest, provider: Any, error: Exception, context: dict[str, Any]) -> HttpResponse:
    """Return to the page that sent the request, with `?error=unknown`; the page must not learn the cause."""
    answered: HttpResponse = render_authentication_error(
        request, provider, error=AuthError.UNKNOWN, exception=error, extra_context=context
    )
    return answered


def callback(request: HttpRequest, provider_id: str) -> HttpResponse:
    """Answer the provider's redirect. 404 for an unknown provider."""
    if not any(each.provider_id == provider_id for each in Providers(request).list_apps(request)):
        raise Http404
    answered: HttpResponse = Callback.adapter_view(OpenIDFlow(request, provider_id))(request)
    return answered
