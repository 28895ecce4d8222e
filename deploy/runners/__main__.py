"""`python -m deploy.runners kubernetes|yarn ...`: print the manifests or the script that run a runner on a cluster."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import PurePosixPath

from deploy.prepare.console import SetupError
from deploy.runners import kubernetes, yarn
from deploy.runners.wanted import WantedRunner


def main(arguments: Sequence[str]) -> int:
    """Print them; return 1 after a sentence about an error, 2 for an invalid command line."""
    parsed = _parser().parse_args(arguments)
    try:
        wanted = WantedRunner(
            parsed.organisation,
            parsed.root,
            parsed.executors,
            parsed.cores,
            parsed.heap_mb,
            parsed.worker_mb,
        )
        if parsed.cluster == "kubernetes":
            place = kubernetes.KubernetesPlace(parsed.image, parsed.claim, parsed.namespace)
            sys.stdout.write(kubernetes.as_yaml(kubernetes.manifests(wanted, place)))
        else:
            sys.stdout.write(yarn.script(wanted, yarn.YarnPlace(parsed.hadoop, parsed.python, parsed.queue)))
    except SetupError as fault:
        sys.stderr.write(f"{fault}\n")
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m deploy.runners", description="Runners on clusters.")
    clusters = parser.add_subparsers(dest="cluster", required=True)
    of_kubernetes = clusters.add_parser("kubernetes", help="manifests for kubectl apply")
    of_kubernetes.add_argument("--image", required=True, help="has Python, Java and Punctual")
    of_kubernetes.add_argument("--claim", required=True, help="volume claim that many pods may write (ReadWriteMany)")
    of_kubernetes.add_argument("--namespace", default="default")
    of_yarn = clusters.add_parser("yarn", help="a script for a machine of the cluster")
    of_yarn.add_argument("--hadoop", required=True, metavar="FOLDER", help="with core-site.xml, yarn-site.xml")
    of_yarn.add_argument("--python", required=True, metavar="PATH", help="of the installation, on each machine")
    of_yarn.add_argument("--queue", default="default")
    for each in (of_kubernetes, of_yarn):
        each.add_argument("--organisation", required=True, metavar="ID")
        each.add_argument("--root", required=True, type=PurePosixPath, metavar="PATH", help="PUNCTUAL_DATA, everywhere")
        for name, value in (("executors", 2), ("cores", 2), ("heap-mb", 2_048), ("worker-mb", 1_024)):
            each.add_argument(f"--{name}", type=int, default=value, metavar="N")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
