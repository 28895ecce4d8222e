"""Members, invitations, programs and tokens."""

from tests.webapp.resources import OwnThings, Resource


def _member(things: OwnThings) -> str:
    return str(things.person.get("members/").json()[0]["id"])


def _invitation(things: OwnThings) -> str:
    return things.made("invitations/", {"email": f"{things.mark}@x.example", "role": "viewer"})


def _account(things: OwnThings) -> str:
    return things.made("service-accounts/", {"name": things.mark, "role": "viewer"})


def _token(things: OwnThings) -> str:
    return things.made("tokens/", {"name": things.mark, "role": "viewer", "expires_in_days": 1})


MEMBER = Resource("member", _member)
INVITATION = Resource("invitation", _invitation)
ACCOUNT = Resource("account", _account)
TOKEN = Resource("token", _token)
