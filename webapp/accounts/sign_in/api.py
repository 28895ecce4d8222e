"""`/api/sign-in/`: the options of the sign-in page, for visitors."""

from typing import Any

from allauth.socialaccount.adapter import get_adapter as providers_of
from django.conf import settings
from drf_spectacular.utils import extend_schema
from rest_framework.permissions import AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from streaming.definition.strict import Strict
from webapp.accounts.sign_in.adapters import AccountAdapter
from webapp.core.api import answer


class Provider(Strict):
    """A provider of OpenID Connect; `id` is the parameter of allauth's redirect."""

    id: str
    name: str


class SignIn(Strict):
    """The options for this session: may it sign up, does mail go out, and which providers are there."""

    sign_up: bool
    mail: bool
    providers: list[Provider]


class SignInView(APIView):
    """The options of the sign-in page."""

    authentication_classes: Any = ()
    permission_classes: Any = (AllowAny,)

    @extend_schema(operation_id="sign_in", responses={200: SignIn}, auth=[])
    def get(self, request: Request) -> Response:
        """Return whether sign-up is open to this session, and the providers."""
        asked = request._request
        providers = [Provider(id=each.provider_id, name=each.name) for each in providers_of(asked).list_apps(asked)]
        sign_up = AccountAdapter(asked).is_open_for_signup(asked)
        return answer(SignIn(sign_up=sign_up, mail=settings.MAIL_GOES_OUT, providers=providers))
