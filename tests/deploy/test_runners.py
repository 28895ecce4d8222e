"""Runners on clusters: the output fits Kubernetes' schemas, Spark's settings and the runner's command line."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path, PurePosixPath
from typing import Any

import kubernetes_validate
import pyspark
import pytest
import yaml

from deploy.prepare.console import SetupError
from deploy.runners import kubernetes, yarn
from deploy.runners.__main__ import main
from deploy.runners.wanted import WantedRunner
from streaming.runtime.command_line import command_line
from streaming.spark.session.session import driver_host, is_local

ORGANISATION = "11111111-2222-4333-8444-555555555555"
WANTED = WantedRunner(ORGANISATION, PurePosixPath("/data"), executors=3, cores=2)
PLACE = kubernetes.KubernetesPlace("registry.example/punctual:1", "punctual-data", "streams")
YARN = yarn.YarnPlace("/etc/hadoop/conf", sys.executable)
OLDEST, NEWEST = "1.31", "1.37"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(arguments) == 0
    return capsys.readouterr().out


def of_kubernetes(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    options = ["--image", PLACE.image, "--claim", PLACE.claim, "--namespace", PLACE.namespace]
    text = printed(capsys, "kubernetes", "--organisation", ORGANISATION, "--root", "/data", *options)
    return list(yaml.safe_load_all(text))


@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_every_document_is_what_kubernetes_reads_and_says_nothing_that_it_does_not_know(
    capsys: pytest.CaptureFixture[str], version: str
) -> None:
    found = of_kubernetes(capsys)
    kinds = ["ServiceAccount", "Role", "RoleBinding", "ConfigMap", "Service", "StatefulSet"]
    assert [each["kind"] for each in found] == kinds
    for each in found:
        kubernetes_validate.validate(each, version, strict=True)


def test_a_document_that_kubernetes_does_not_read_is_found() -> None:
    wrong = kubernetes.manifests(WANTED, PLACE)[-1]
    wrong["spec"]["replica"] = 1
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, NEWEST, strict=True)


def test_the_pod_is_a_runner_that_reads_its_secret_from_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    *_, stateful = of_kubernetes(capsys)
    pod = stateful["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    read = command_line().parse_args(container["args"])
    assert (read.organisation, str(read.root), read.idle_exit_s) == (ORGANISATION, "/data", float("inf"))
    assert not is_local(read.master)
    assert driver_host("k8s://https://127.0.0.1:6443") == "127.0.0.1"
    secret = next(each for each in pod["volumes"] if "secret" in each)
    assert secret["secret"]["secretName"] == stateful["metadata"]["name"] == f"punctual-{ORGANISATION}"
    mounted = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    assert f"<{mounted[secret['name']]}/configuration" in container["command"][2]
    assert mounted["data"] == "/data"


def test_the_shell_begins_the_runner_with_its_arguments_and_its_secret_on_standard_input(tmp_path: Path) -> None:
    (tmp_path / "configuration").write_text("planted")
    program = tmp_path / "python"
    program.write_text('#!/bin/sh\necho "$@"\ncat\n')
    program.chmod(0o700)
    stateful = kubernetes.manifests(WANTED, PLACE)[-1]
    (container,) = stateful["spec"]["template"]["spec"]["containers"]
    command = [each.replace(kubernetes.CONFIGURATION, str(tmp_path)) for each in container["command"]]
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run([*command, *container["args"]], env=env, capture_output=True, text=True, check=True)
    called, secret = done.stdout.split("\n")
    assert called == "-m streaming.runtime " + " ".join(container["args"])
    assert secret == "planted"


def words_of_spark() -> bytes:
    """Return the source of the classes that read settings."""
    jars = Path(pyspark.__file__).parent / "jars"
    found = []
    for name in ("spark-core", "spark-launcher", "spark-common-utils", "spark-kubernetes", "spark-yarn"):
        (jar,) = jars.glob(f"{name}_*.jar")
        with zipfile.ZipFile(jar) as classes:
            wanted = [each for each in classes.namelist() if "onfig" in each or "Builder" in each or "Submit" in each]
            found += [classes.read(each) for each in wanted]
    return b"\n".join(found)


def test_spark_knows_every_setting() -> None:
    known = words_of_spark()
    volumes = "spark.kubernetes.executor.volumes."
    names = {*kubernetes.spark_settings(WANTED, PLACE), *yarn.spark_settings(WANTED, YARN)}
    missing = [name for name in names if not name.startswith(volumes) and name.encode() not in known]
    assert missing == []
    of_volumes = sorted(name.removeprefix(volumes) for name in names if name.startswith(volumes))
    kind = "persistentVolumeClaim"
    assert of_volumes == [f"{kind}.data.{each}" for each in ("mount.path", "mount.readOnly", "options.claimName")]
    for part in (volumes, kind, "mount.path", "mount.readOnly", "options.claimName"):
        assert part.encode() in known


def test_a_script_for_yarn_starts_the_runner_with_its_settings(tmp_path: Path) -> None:
    program = tmp_path / "python"
    program.write_text(
        '#!/bin/sh\necho "$@"\necho "$HADOOP_CONF_DIR"\ncat "$SPARK_CONF_DIR/spark-defaults.conf"\ncat\n'
    )
    program.chmod(0o700)
    script = tmp_path / "runner.sh"
    place = yarn.YarnPlace("/etc/hadoop/conf", str(program), "night shift")
    script.write_text(yarn.script(WANTED, place))
    done = subprocess.run(["/bin/sh", str(script)], input="planted\n", capture_output=True, text=True, check=True)
    command, hadoop, *settings, secret = done.stdout.splitlines()
    read = command_line().parse_args(command.split()[2:])
    assert (read.master, read.organisation, hadoop, secret) == ("yarn", ORGANISATION, "/etc/hadoop/conf", "planted")
    assert dict(each.split(" ", 1) for each in settings) == yarn.spark_settings(WANTED, place)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--organisation", "acme"], "isn't an id of an organisation"),
        (["--root", "data"], "isn't an absolute path"),
        (["--executors", "0"], "whole numbers from 1"),
        (["--python", "python3"], "with absolute paths"),
    ],
)
def test_invalid_arguments_are_reported(
    capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str
) -> None:
    sound = [
        "--organisation",
        ORGANISATION,
        "--root",
        "/data",
        "--hadoop",
        "/etc/hadoop",
        "--python",
        "/usr/bin/python3",
    ]
    assert main(["yarn", *sound, *arguments]) == 1
    assert sentence in capsys.readouterr().err


def test_what_no_runner_can_be_is_none() -> None:
    with pytest.raises(SetupError):
        WantedRunner(ORGANISATION, PurePosixPath("/data"), cores=0)
