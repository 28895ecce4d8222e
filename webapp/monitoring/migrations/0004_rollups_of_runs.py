from django.db import migrations, models


def by_age(model: str, name: str) -> list[migrations.operations.base.Operation]:
    """Leave the organisation out: with it, SQLite reads the newest rollup of a run by this index, through all others."""
    return [
        migrations.RemoveIndex(model_name=model, name=name),
        migrations.AddIndex(model_name=model, index=models.Index(fields=['seconds', 'at'], name=name)),
    ]


class Migration(migrations.Migration):

    dependencies = [
        ('monitoring', '0003_details'),
    ]

    operations = [*by_age('runrollup', 'rollup_by_age'), *by_age('rollupdetail', 'detail_by_age')]
