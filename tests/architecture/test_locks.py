"""The lock files cover what the project asks for."""

import json
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT


def asked_for() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [one for group in project["optional-dependencies"].values() for one in group]
    return [Requirement(one) for one in [*project["dependencies"], *extras]]


def locked() -> dict[str, str]:
    lines = (ROOT / "requirements.lock").read_text().splitlines()
    return {canonicalize_name(name): version for name, _, version in (line.partition("==") for line in lines)}


def test_every_package_asked_for_is_locked_at_a_version_that_fits() -> None:
    versions = locked()
    unfit = [
        str(one)
        for one in asked_for()
        if not one.specifier.contains(versions.get(canonicalize_name(one.name), "0.dev0"), prereleases=True)
    ]
    assert unfit == []


def test_pyspark_is_needed_only_by_the_extra_spark() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not [one for one in project["dependencies"] if "pyspark" in one]
    assert [one for one in project["optional-dependencies"]["spark"] if "pyspark" in one]


def test_every_browser_package_asked_for_is_locked_at_one_exact_version() -> None:
    package = json.loads((ROOT / "frontend" / "package.json").read_text())
    lock = json.loads((ROOT / "frontend" / "package-lock.json").read_text())["packages"]
    wanted = {**package["dependencies"], **package["devDependencies"]}
    unfit = {
        name: version
        for name, version in wanted.items()
        if lock.get(f"node_modules/{name}", {}).get("version") != version
    }
    assert unfit == {}
