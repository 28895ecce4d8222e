"""Fill in the definitions of existing runs: name and version from the audit log, text from the versions, if known.

This is separate from the new columns, because PostgreSQL alters no table in a transaction that has changed rows of it.
"""

from django.db import migrations


def fill(apps, schema_editor):
    """Fill in the definitions of the existing runs; a version counts if it was created before the run."""
    for run in apps.get_model("runs", "Run").objects.select_related("binding").order_by("created_at"):
        events = apps.get_model("audit", "AuditEvent").objects.filter(organisation_id=run.organisation_id)
        started = events.filter(action="run.started", target_id=str(run.pk)).first()
        said = said_of_binding(events, run)
        graph = run.spec["query"]
        versions = apps.get_model("queries", "QueryVersion").objects.filter(created_at__lte=run.created_at)
        versions = versions.filter(organisation_id=run.organisation_id).select_related("text")
        named = [each for each in versions if each.graph["name"] == graph["name"]]
        if len({each.query_id for each in named}) == 1:
            run.query_id = named[0].query_id
            alike = [each for each in named if shape(each.graph) == shape(graph)]
            known = [each for each in named if each.number == said.get("version")] or alike
            if len(known) == 1:
                run.query_version = known[0].number
                run.query_text = known[0].text.text if hasattr(known[0], "text") else ""
        run.binding_name = started.target_label if started else said.get("name", run.binding.name)
        run.query_name = graph["name"]
        run.save(update_fields=["binding_name", "query", "query_name", "query_version", "query_text"])


def said_of_binding(events, run):
    """Return the binding's settings at the start of the run, from the changes in the audit log."""
    changes = events.filter(target_kind="binding", target_id=str(run.binding_id), at__lte=run.created_at)
    said = {}
    for event in changes.filter(action__in=("binding.created", "binding.replaced")).order_by("at"):
        said.update(event.after or {})
    return said


def shape(graph):
    """Return a graph without the streams of its inputs, which a binding chooses."""
    return [{key: value for key, value in node.items() if key != "stream"} for node in graph["nodes"]]


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0012_freshness"),
        ("audit", "0004_impersonator"),
    ]

    operations = [migrations.RunPython(fill, migrations.RunPython.noop)]
