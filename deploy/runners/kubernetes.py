"""A runner on Kubernetes: its pod is the permanent driver; Spark starts further pods for executors.

It is a StatefulSet, which never has two copies of its one pod; the pod's name is known, so that executors end with it.
The configuration with Redis's address and the organisation's keys is a separate Secret, and in no manifest.
"""

from dataclasses import dataclass
from typing import Any, Final

import yaml

from deploy.runners.wanted import WantedRunner, as_properties

API_SERVER: Final = "k8s://https://kubernetes.default.svc"
CONFIGURATION: Final = "/run/punctual"
SPARK_CONFIGURATION: Final = "/etc/punctual/spark"
_TEMPORARY: Final = "/tmp"  # nosec B108 # an empty folder inside the pod
_BEGINS: Final = f'exec python -m streaming.runtime "$@" <{CONFIGURATION}/configuration'
_OWN_MB: Final = 1_024
"""The runner itself, its fork server, and the planner."""


@dataclass(frozen=True)
class KubernetesPlace:
    """The place in a cluster: `image` has Python, Java and Punctual; many pods may write to volume claim `claim`."""

    image: str
    claim: str
    namespace: str = "default"


def manifests(wanted: WantedRunner, place: KubernetesPlace) -> list[dict[str, Any]]:
    """Return the manifests of the runner, except its Secret, which has the runner's name."""
    name = runner_name(wanted)

    def of(kind: str, api: str, **rest: Any) -> dict[str, Any]:
        metadata = {"name": name, "namespace": place.namespace, "labels": _labels(name)}
        return {"apiVersion": api, "kind": kind, "metadata": metadata, **rest}

    account = {"kind": "ServiceAccount", "name": name, "namespace": place.namespace}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    return [
        of("ServiceAccount", "v1"),
        of("Role", "rbac.authorization.k8s.io/v1", rules=[_of_executors()]),
        of("RoleBinding", "rbac.authorization.k8s.io/v1", roleRef=role, subjects=[account]),
        of("ConfigMap", "v1", data={"spark-defaults.conf": as_properties(spark_settings(wanted, place))}),
        of("Service", "v1", spec={"clusterIP": "None", "selector": _labels(name)}),
        of("StatefulSet", "apps/v1", spec=_set(wanted, place, name)),
    ]


def runner_name(wanted: WantedRunner) -> str:
    """Return the name of the runner and all of its objects in the cluster."""
    return f"punctual-{wanted.organisation}"


def as_yaml(documents: list[dict[str, Any]]) -> str:
    """Return YAML for `kubectl apply`."""
    return yaml.safe_dump_all(documents, sort_keys=False)


def spark_settings(wanted: WantedRunner, place: KubernetesPlace) -> dict[str, str]:
    """Return the settings of the session: the place of executors, and their resources."""
    volume = "spark.kubernetes.executor.volumes.persistentVolumeClaim.data"
    return {
        **wanted.spark_settings(),
        "spark.kubernetes.namespace": place.namespace,
        "spark.kubernetes.container.image": place.image,
        "spark.kubernetes.driver.pod.name": f"{runner_name(wanted)}-0",
        "spark.kubernetes.executor.podNamePrefix": runner_name(wanted)[:40],
        f"{volume}.options.claimName": place.claim,
        f"{volume}.mount.path": str(wanted.root),
        f"{volume}.mount.readOnly": "false",
    }


def _labels(name: str) -> dict[str, str]:
    return {"app.kubernetes.io/name": "punctual-runner", "app.kubernetes.io/instance": name}


def _of_executors() -> dict[str, Any]:
    """Return the rights of a driver in its namespace: start and end pods and their objects."""
    what = ["pods", "configmaps", "services", "persistentvolumeclaims"]
    verbs = ["get", "list", "watch", "create", "delete", "deletecollection", "patch"]
    return {"apiGroups": [""], "resources": what, "verbs": verbs}


def _set(wanted: WantedRunner, place: KubernetesPlace, name: str) -> dict[str, Any]:
    pod = {
        "serviceAccountName": name,
        "terminationGracePeriodSeconds": 60,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [_container(wanted, place)],
        "volumes": [
            {"name": "data", "persistentVolumeClaim": {"claimName": place.claim}},
            {"name": "configuration", "secret": {"secretName": name, "defaultMode": 0o440}},
            {"name": "spark", "configMap": {"name": name}},
            {"name": "temporary", "emptyDir": {}},
        ],
    }
    return {
        "serviceName": name,
        "replicas": 1,
        "selector": {"matchLabels": _labels(name)},
        "template": {"metadata": {"labels": _labels(name)}, "spec": pod},
    }


def _container(wanted: WantedRunner, place: KubernetesPlace) -> dict[str, Any]:
    memory = f"{2 * wanted.heap_mb + _OWN_MB}Mi"
    mounts = {"data": str(wanted.root), "configuration": CONFIGURATION}
    mounts |= {"spark": SPARK_CONFIGURATION, "temporary": _TEMPORARY}
    return {
        "name": "runner",
        "image": place.image,
        "command": ["/bin/sh", "-c", _BEGINS, "runner"],
        "args": wanted.arguments(API_SERVER),
        "env": [{"name": "SPARK_CONF_DIR", "value": SPARK_CONFIGURATION}],
        "resources": {"requests": {"cpu": "1", "memory": memory}, "limits": {"memory": memory}},
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
        "volumeMounts": [
            {"name": volume, "mountPath": path, **({"readOnly": True} if volume in {"configuration", "spark"} else {})}
            for volume, path in mounts.items()
        ],
    }
