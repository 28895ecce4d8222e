"""OpenAPI from the pydantic models of the API: one schema for each, in both directions."""

from typing import Any

from drf_spectacular.contrib.pydantic import PydanticExtension
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.plumbing import ResolvedComponent
from pydantic.json_schema import model_json_schema


class ModelExtension(PydanticExtension):  # type: ignore[no-untyped-call]
    """A field with a default is optional, because the same model is sent and received."""

    target_class = "pydantic.BaseModel"
    match_subclasses = True
    priority = 1

    def map_serializer(self, auto_schema: Any, direction: str) -> Any:  # noqa: ARG002
        """Return the JSON Schema of the model, and register the models inside it."""
        schema = model_json_schema(self.target, ref_template="#/components/schemas/{model}", mode="validation")
        for name, part in schema.pop("$defs", {}).items():
            kind = ResolvedComponent.SCHEMA
            component = ResolvedComponent(name, kind, part, name)  # type: ignore[no-untyped-call]
            auto_schema.registry.register_on_missing(component)
        return schema


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The session cookie."""

    target_class = "webapp.core.http.authentication.SessionAuthentication"
    name = "cookieAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002
        """Return the scheme."""
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """The bearer token; other apps derive their authentication from the class named here."""

    target_class = "webapp.core.http.authentication.BearerAuthentication"
    match_subclasses = True
    name = "tokenAuth"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:  # noqa: ARG002
        """Return the scheme."""
        return {"type": "http", "scheme": "bearer"}
