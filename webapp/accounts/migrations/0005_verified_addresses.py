"""Addresses of people who were there before sign-up: who runs the installation entered them, so they are verified."""

from django.db import migrations


def verify(apps, schema_editor):
    User = apps.get_model("accounts", "User")
    EmailAddress = apps.get_model("account", "EmailAddress")
    for user in User.objects.order_by("date_joined"):
        email = user.email.lower()
        if EmailAddress.objects.filter(user=user).exists() or EmailAddress.objects.filter(email=email).exists():
            continue
        EmailAddress.objects.create(user=user, email=email, primary=True, verified=True)


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0004_row_security"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(verify, migrations.RunPython.noop)]
