"""Compiles Protobuf texts in a process of its own: `python protoc.py`, with the files as JSON on its input.

The compiler is C++ that reads untrusted input, so it gets its own folder, limits, and a process without our memory. It
writes a FileDescriptorSet to its output, or its errors to the error output and exits with 1.
"""

import json
import os
import resource
import sys
import tempfile
from pathlib import Path

CPU_S = 10
MEMORY = 1 << 30
MOST_BYTES = 16 << 20


def main() -> int:
    """Compile the files on the input: {"main": name, "files": {name: text}}."""
    for which, most in (
        (resource.RLIMIT_CPU, CPU_S),
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, MOST_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(which)[1]
        least = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(which, (least, least))
    import grpc_tools
    from grpc_tools import protoc

    task = json.load(sys.stdin)
    with tempfile.TemporaryDirectory(prefix="punctual-proto-") as made:
        folder = Path(made)
        for name, text in task["files"].items():
            path = folder / name  # the caller has checked the names
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        found = folder / ".descriptors"
        known = Path(grpc_tools.__file__).parent / "_proto"
        os.chdir(folder)
        arguments = ["protoc", "-I.", f"-I{known}", "--include_imports", f"--descriptor_set_out={found}", task["main"]]
        code = int(protoc.main(arguments))
        if code == 0:
            sys.stdout.buffer.write(found.read_bytes())
    return code


if __name__ == "__main__":
    sys.exit(main())
