"""Make freshness one of a few lengths.

A typed one becomes the longest that does not exceed it, a missing one five seconds, as in a new binding.
"""

from django.db import migrations, models

from streaming.definition.names import length_ticks

CHOICES = ["200ms", "1s", "5s", "15s", "1m", "5m", "15m", "1h"]


def choose(apps, _schema):
    Binding = apps.get_model("runs", "Binding")
    for binding in Binding._base_manager.all():
        typed = length_ticks(binding.freshness) if binding.freshness else None
        fitting = [each for each in CHOICES if typed is not None and length_ticks(each) <= typed]
        binding.freshness = fitting[-1] if fitting else CHOICES[0] if typed is not None else "5s"
        binding.save(update_fields=["freshness"])


class Migration(migrations.Migration):

    dependencies = [
        ('runs', '0014_binding_outputs'),
    ]

    operations = [
        migrations.RunPython(choose, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='binding',
            name='freshness',
            field=models.CharField(choices=[('200ms', '200ms'), ('1s', '1s'), ('5s', '5s'), ('15s', '15s'), ('1m', '1m'), ('5m', '5m'), ('15m', '15m'), ('1h', '1h')], default='5s', max_length=8),
        ),
    ]
