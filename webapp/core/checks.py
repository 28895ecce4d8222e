"""The start-up check that no tenant-owned model escapes the scoped manager."""

from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig, apps
from django.core.checks import CheckMessage, Error, register

from webapp.core.tenancy import TenantManager, TenantModel

SHARED_MODELS = frozenset({"accounts.Membership"})
"""Models that refer to an organisation and are read before one is in context, each guarded by its own functions."""


@register()
def tenant_models_are_scoped(app_configs: Sequence[AppConfig] | None, **_: Any) -> list[CheckMessage]:
    """Return one error for each model with an organisation that has an unscoped manager."""
    faults: list[CheckMessage] = []
    for model in apps.get_models():
        if app_configs is not None and model._meta.app_config not in app_configs:
            continue
        owned = any(field.name == "organisation" for field in model._meta.get_fields())
        if not owned or model._meta.label in SHARED_MODELS:
            continue
        managers = [*model._meta.managers, model._meta.base_manager]
        if not issubclass(model, TenantModel) or not all(isinstance(each, TenantManager) for each in managers):
            faults.append(
                Error(
                    f"{model._meta.label} has an organisation but is not scoped to it.",
                    hint="Derive it from TenantModel, inherit TenantModel.Meta and add no other manager.",
                    obj=model,
                    id="punctual.E001",
                )
            )
    return faults
