"""The ASGI application: `uvicorn --no-proxy-headers webapp.asgi:application`. Live pages need ASGI, not WSGI."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

_django = get_asgi_application()

from django.conf import settings  # noqa: E402 - models can be loaded only now

from webapp.core.bodies import LimitedBodies  # noqa: E402 - as above
from webapp.core.limited.running import warm_up  # noqa: E402 - as above
from webapp.core.proxies import ClientAddresses, require_plain_server  # noqa: E402 - as above

require_plain_server()
application = ClientAddresses(LimitedBodies(_django), settings.TRUSTED_PROXIES)
warm_up()
