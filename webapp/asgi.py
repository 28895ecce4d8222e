"""The ASGI application: `uvicorn webapp.asgi:application`. Live pages need ASGI; WSGI is not offered."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

_django = get_asgi_application()

from webapp.core.bodies import LimitedBodies  # noqa: E402 - models can be loaded only now

application = LimitedBodies(_django)
