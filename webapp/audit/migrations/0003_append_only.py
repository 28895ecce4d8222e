from django.db import migrations, models

from webapp.audit.append_only import RefuseChanges


class Migration(migrations.Migration):

    dependencies = [
        ('accounts', '0003_organisations'),
        ('audit', '0002_row_security'),
    ]

    operations = [
        migrations.AddField(
            model_name='auditevent',
            name='area',
            field=models.CharField(default='', max_length=60),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['organisation', 'action', '-at', '-id'], name='audit_by_action'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['organisation', 'area', '-at', '-id'], name='audit_by_area'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['organisation', 'actor_id', '-at', '-id'], name='audit_by_actor'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['organisation', 'actor_label', '-at', '-id'], name='audit_by_actor_label'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['organisation', 'target_kind', '-at', '-id'], name='audit_by_target_kind'),
        ),
        migrations.AddIndex(
            model_name='auditevent',
            index=models.Index(fields=['organisation', 'target_kind', 'target_id', '-at', '-id'], name='audit_by_target'),
        ),
        RefuseChanges('auditevent'),
    ]
