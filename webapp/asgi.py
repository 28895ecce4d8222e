"""The ASGI application; live pages need ASGI, not WSGI. `punctual-serve web` starts its server (`deploy/serve`)."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

_django = get_asgi_application()

from django.conf import settings  # noqa: E402 - models can be loaded only now

from webapp.core.database.locked import hold_open  # noqa: E402 - as above
from webapp.core.http.bodies import LimitedBodies  # noqa: E402 - as above
from webapp.core.http.crowds import Crowds  # noqa: E402 - as above
from webapp.core.http.event_streams import EventStreams  # noqa: E402 - as above
from webapp.core.http.proxies import ClientAddresses, require_plain_server  # noqa: E402 - as above
from webapp.core.limited.running import warm_up  # noqa: E402 - as above

require_plain_server()
application = ClientAddresses(EventStreams(Crowds(LimitedBodies(_django))), settings.TRUSTED_PROXIES)
warm_up()
_DATABASE = settings.DATABASES["default"]
held = hold_open(_DATABASE["NAME"]) if _DATABASE["ENGINE"].endswith("sqlite3") else None
