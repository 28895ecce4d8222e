"""Export of everything in an organisation as one file, for its owners."""

import json
import zipfile
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.apps import apps
from django.conf import settings
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models, transaction
from django.utils import timezone

from streaming.storage.by_run import lines_by_run
from streaming.storage.results import FOLDERS
from webapp.accounts.models import Membership
from webapp.accounts.organisations import lock_organisation
from webapp.administration.models import Export
from webapp.audit.recording import Target, record
from webapp.bundles.exporting import export as definition_files
from webapp.bundles.modules import file_content
from webapp.core.context import current_actor, current_organisation
from webapp.core.errors import Conflict, NotFound
from webapp.core.tenancy import TenantModel
from webapp.runs.kept_folders import rows_folder
from webapp.runs.models import (
    Binding,
)
from webapp.streams.models import Stream
from webapp.streams.sealing import concealed

KEPT: Final = timedelta(days=2)
LONGEST: Final = timedelta(hours=1)
BEGUN: Final = ("requested", "writing")
UNFINISHED: Final = ".part"
GIVEN_UP: Final = "The file was not finished. Request another; if that fails too, contact your administrator."


def ask_for_export() -> Export:
    """Create an export of everything for the current actor. Raises `Conflict` while another is being written.

    An export that started too long ago is marked as failed: its process was killed and cannot report that.
    """
    now = timezone.now()
    made = Export(requested_by=current_actor().label, created_at=now)
    with transaction.atomic():
        lock_organisation()
        begun = Export.objects.filter(state__in=BEGUN)
        begun.filter(created_at__lt=now - LONGEST).update(state="failed", message=GIVEN_UP)
        if begun.exists():
            raise Conflict("An export is already being written. Wait until it is ready, then request another.")
        made.save()
        record("export.requested", target=Target("export", made.pk, str(made.created_at.date())))
    return made


def export_path(export: UUID) -> Path:
    """Return the path of an export's file in the organisation in context."""
    root: Path = settings.PUNCTUAL_DATA
    return exports_folder(root, current_organisation()) / f"{export}.zip"


def exports_folder(data: Path, organisation: UUID) -> Path:
    """Return the folder of an organisation's exports, next to the organisation's own folder."""
    return data / f"{organisation}-exports"


def write_export(export: Export) -> None:
    """Write the file, under another name until it is complete; earlier files go, so that they cannot fill the disk."""
    path = export_path(export.pk)
    path.parent.mkdir(parents=True, exist_ok=True)
    export.state = "writing"
    export.save(update_fields=["state"])
    unfinished = path.with_suffix(UNFINISHED)
    with zipfile.ZipFile(unfinished, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in sorted(definition_files().items()):
            file.writestr(f"definitions/{name}", file_content(name, text))
        _write_lines(file, "members.jsonl", _members())
        _write_lines(file, "streams.jsonl", _streams())
        for model in apps.get_models():
            if issubclass(model, TenantModel) and isinstance(model.exported, tuple):
                _write_lines(file, f"{model._meta.model_name}.jsonl", _rows(model, model.exported))
        _write_results(file)
    unfinished.replace(path)
    export.state, export.bytes, export.expires_at = "ready", path.stat().st_size, timezone.now() + KEPT
    export.save(update_fields=["state", "bytes", "expires_at"])
    _expire(Export.objects.filter(created_at__lt=export.created_at))


def delete_export(export: UUID) -> None:
    """Delete an export of the organisation in context with its file: no address opens it any more.

    Raises `NotFound`, `Conflict` while it is being written, unless it started too long ago to be still running.
    """
    with transaction.atomic():
        lock_organisation()
        found = Export.objects.filter(pk=export).first()
        if found is None:
            raise NotFound
        if found.state in BEGUN and found.created_at >= timezone.now() - LONGEST:
            raise Conflict("The export is being written. Wait until it is ready, then delete it.")
        before = {"state": found.state, "bytes": found.bytes, "requested_by": found.requested_by}
        record("export.deleted", target=Target("export", found.pk, str(found.created_at.date())), before=before)
        path = export_path(found.pk)
        found.delete()
        for each in (path, path.with_suffix(UNFINISHED)):
            each.unlink(missing_ok=True)  # before the rows: a file that the list does not show must not stay on disk


def expire_exports() -> None:
    """Remove the expired files of the organisation in context; the list shows them as expired."""
    _expire(Export.objects.filter(expires_at__lte=timezone.now()))


def _expire(exports: models.QuerySet[Export]) -> None:
    for export in exports.filter(state="ready"):
        export_path(export.pk).unlink(missing_ok=True)
        export.state = "expired"
        export.save(update_fields=["state"])


def _write_lines(file: zipfile.ZipFile, name: str, rows: Iterable[dict[str, Any]]) -> None:
    """Write one JSON object a line, row by row, because an audit log may be long."""
    with file.open(name, "w", force_zip64=True) as lines:
        for row in rows:
            lines.write(json.dumps(row, cls=DjangoJSONEncoder).encode() + b"\n")


def _rows(model: type[models.Model], fields: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    yield from model._default_manager.values(*fields).iterator(chunk_size=1_000)


def _members() -> Iterator[dict[str, Any]]:
    found = Membership.objects.filter(organisation_id=current_organisation())
    for member in found.values("user__email", "role").order_by("user__email"):
        yield dict(member)


def _streams() -> Iterator[dict[str, Any]]:
    for stream in Stream.objects.all():
        adapter = concealed(stream.read_adapter()).model_dump(mode="json")
        yield {"name": stream.name, "definition": stream.definition, "adapter": adapter}


def _write_results(file: zipfile.ZipFile) -> None:
    """Write the committed results and quarantine of each run of each binding, by their names, oldest rows first.

    Rows deleted while the export runs are left out.
    """
    for binding in Binding.objects.all():
        for kind, name in FOLDERS.items():
            found = groupby(lines_by_run(rows_folder(binding.pk), kind), key=itemgetter(0))
            for number, (run, rows) in enumerate(found, start=1):
                of_run = f"before-runs-had-ids-{number}" if run is None else run
                with file.open(f"bindings/{binding.name}/{of_run}/{name}.jsonl", "w", force_zip64=True) as lines:
                    lines.writelines(line for _, line in rows)
