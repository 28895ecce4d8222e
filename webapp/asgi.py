"""The ASGI application: `uvicorn webapp.asgi:application`. Live pages need ASGI; WSGI is not offered."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webapp.settings")

application = get_asgi_application()
