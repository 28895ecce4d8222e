"""Built files of the browser application, served by WhiteNoise as they were when the server started."""

from collections.abc import Callable
from functools import cache
from http import HTTPStatus
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Final
from wsgiref.headers import Headers

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.responders import NOT_ALLOWED_RESPONSE, Response, StaticFile

READS: Final = ("GET", "HEAD")
PACKAGES: Final = ""  # used instead of a folder, and no folder's name


@cache
def built_page(folder: Path) -> bytes | None:
    """Return the page as it was at the first call; None if it was not built then.

    A build under a running server removes pages and files one by one: the served files stay complete.
    """
    try:
        return (folder / "index.html").read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


class HeldFile(StaticFile):  # type: ignore[misc]
    """A file whose content, plain and compressed, is held in memory."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._contents = {path: Path(path).read_bytes() for _, path, _ in self.alternatives}

    def get_response(self, method: str, request_headers: Any) -> Any:
        """Answer as WhiteNoise does, without reading the disk."""
        if method not in READS:
            return NOT_ALLOWED_RESPONSE
        if self.is_not_modified(request_headers):
            return self.not_modified_response
        path, headers = self.get_path_and_headers(request_headers)
        content = BytesIO(self._contents[path]) if method == "GET" else None
        asked = request_headers.get("HTTP_RANGE")
        if asked:
            try:
                return self.get_range_response(asked, headers, content)
            except ValueError:
                pass  # an unreadable range counts as absent, as HTTP requires
        return Response(HTTPStatus.OK, headers, content)


class BuiltFiles(WhiteNoiseMiddleware):  # type: ignore[misc]
    """Serves `frontend/dist` from memory: 7 MB, read once.

    Without this, a build under a running server would cause a 500 for each file that it has removed. Each process reads
    a folder once, however many applications it makes.
    """

    files: dict[str, Any]
    _read: ClassVar[dict[tuple[str, str], dict[str, Any]]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        built_page(settings.FRONTEND)

    def update_files_dictionary(self, root: str, prefix: str) -> None:
        """Add the files of the folder `root` under `prefix`."""
        self._add_once(root, prefix, lambda: super(BuiltFiles, self).update_files_dictionary(root, prefix))

    def add_files_from_finders(self) -> None:
        """Add the files from the folders of installed packages."""
        self._add_once(PACKAGES, self.static_prefix, super().add_files_from_finders)

    def _add_once(self, place: str, prefix: str, add: Callable[[], None]) -> None:
        if (place, prefix) not in self._read:
            before, self.files = self.files, {}
            add()
            self._read[place, prefix], self.files = self.files, before
        self.files |= self._read[place, prefix]

    def get_static_file(self, path: str, url: str, stat_cache: Any = None) -> HeldFile:
        """Return the file at `path` with its headers and its compressed forms."""
        headers = Headers([])
        self.add_mime_headers(headers, path, url)
        self.add_cache_headers(headers, path, url)
        forms = {"gzip": f"{path}.gz", "br": f"{path}.br"}
        return HeldFile(path, headers.items(), stat_cache=stat_cache, encodings=forms)

    @staticmethod
    def serve(static_file: Any, request: HttpRequest) -> HttpResponse:
        """Answer with the file, or with 304 if the browser has it."""
        found = static_file.get_response(request.method, request.META)
        answered = HttpResponse(b"" if found.file is None else found.file.read(), status=int(found.status))
        del answered["Content-Type"]
        for name, value in found.headers:
            answered[name] = value
        return answered
