"""Count the rows of each repair that had been in no result, by their batch."""

from collections import Counter

from django.db import migrations, models

IN_NO_RESULT = ("dropped_late", "dropped_early", "dropped_window_closed", "malformed")


def count(apps, _schema):
    repairs = apps.get_model("runs", "Repair")._base_manager
    for pk in list(repairs.values_list("pk", flat=True)):
        rows = repairs.values_list("rows", flat=True).get(pk=pk)
        lost = Counter(row.partition("-")[0] for row, each in rows.items() if each["late"]["outcome"] in IN_NO_RESULT)
        repairs.filter(pk=pk).update(lost=dict(lost))


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0025_completeness'),
    ]

    operations = [
        migrations.AddField(
            model_name='repair',
            name='lost',
            field=models.JSONField(db_default=models.Value({}, models.JSONField()), default=dict),
        ),
        migrations.RunPython(count, migrations.RunPython.noop),
    ]
