"""Names in SQL that people copy: quoted, so that capital letters, spaces and SQL keywords keep their meaning."""


def quoted(*names: str) -> str:
    """Return the names of a path (schema, table) in SQL notation: `"public"."Order"`."""
    return ".".join('"' + name.replace('"', '""') + '"' for name in names)
