"""Built files of the browser application, served by WhiteNoise."""

from contextlib import closing
from typing import Any

from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware


class BuiltFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Serves `frontend/dist`. Its files are small and read at once, for ASGI cannot stream a file as it is read."""

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        """Answer with the file, or with 304 if the browser has it."""
        found = static_file.get_response(request.method, request.META)
        content = b""
        if found.file is not None:
            with closing(found.file) as file:
                content = file.read()
        answered = HttpResponse(content, status=int(found.status))
        del answered["Content-Type"]
        for name, value in found.headers:
            answered[name] = value
        return answered
