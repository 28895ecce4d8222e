import uuid

import django.db.models.deletion
from django.db import migrations, models

from webapp.core.database.row_security import EnableRowSecurity


class Migration(migrations.Migration):

    dependencies = [
        ('monitoring', '0002_lag'),
    ]

    operations = [
        migrations.CreateModel(
            name='RollupDetail',
            fields=[
                ('id', models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ('seconds', models.PositiveSmallIntegerField()),
                ('at', models.BigIntegerField()),
                ('largest', models.JSONField(null=True)),
                ('content', models.BinaryField()),
                ('organisation', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='accounts.organisation')),
                ('run', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rollup_details', to='runs.run')),
            ],
            options={
                'ordering': ('at',),
                'abstract': False,
                'base_manager_name': 'objects',
                'default_manager_name': 'objects',
                'indexes': [models.Index(fields=['organisation', 'seconds', 'at'], name='detail_by_age')],
                'constraints': [models.UniqueConstraint(fields=('run', 'seconds', 'at'), name='one_detail_each')],
            },
        ),
        EnableRowSecurity('rollupdetail'),
    ]
