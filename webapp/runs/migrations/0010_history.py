"""Store the definition of each run: the names at its start, the version and its text."""

import django.db.models.deletion
from django.db import migrations, models

from webapp.core.database.row_security import EnableRowSecurity


class Migration(migrations.Migration):
    dependencies = [
        ("runs", "0009_completed_and_steps"),
        ("queries", "0004_row_security"),
    ]

    operations = [
        migrations.AddField("run", "binding_name", models.CharField(default="", max_length=63), preserve_default=False),
        migrations.AddField(
            "run",
            "query",
            models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.SET_NULL, related_name="+", to="queries.query"
            ),
        ),
        migrations.AddField("run", "query_name", models.CharField(default="", max_length=63), preserve_default=False),
        migrations.AddField("run", "query_version", models.PositiveIntegerField(null=True)),
        migrations.AddField("run", "query_text", models.TextField(default="")),
        EnableRowSecurity("run"),
    ]
