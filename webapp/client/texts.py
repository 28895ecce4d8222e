"""`validate` and `explain`: queries as text, or as the JSON of their graph; `validate` also whole folders."""

import json
import sys
from pathlib import Path
from typing import Any

from .folder import read_text
from .library.bundles import DefinitionBundle, plan_bundle
from .outcomes import CommandFailure, ExitCode
from .output.faults import is_error, located, show_faults
from .work import Work, named

FILE_ENDINGS = (".sql", ".json")


def validate(work: Work) -> ExitCode:
    """Show every error of each file, and of each file in each folder of definitions; nothing is stored."""
    results: list[dict[str, Any]] = []
    for name in work.args.files:
        results += _validated_folder(work, Path(name)) if Path(name).is_dir() else [_validated_file(work, name)]
    work.screen.document({"files": results})
    return ExitCode.DONE if all(each["sound"] for each in results) else ExitCode.REFUSED


def _validated_file(work: Work, name: str) -> dict[str, Any]:
    if name.endswith((".yaml", ".yml")):
        folder = Path(name).parent.parent
        raise CommandFailure(
            ExitCode.USAGE, f"{name} can only be checked with its folder. Run `punctual validate {folder}`."
        )
    text = _read(name)
    with work.screen.busy(f"Checking {name}"):
        answered = work.server.post("queries/validate/", _body(name, text))
    return _report(work, name, text, answered["faults"])


def _validated_folder(work: Work, folder: Path) -> list[dict[str, Any]]:
    """Check the files of a folder with each other, as `plan` does: a query may read a stream of the same folder."""
    bundle = DefinitionBundle.read(folder)
    with work.screen.busy(f"Checking {folder}"):
        faults = plan_bundle(work.server, bundle, prune=False).answer["faults"]
    by_file: dict[str, list[dict[str, Any]]] = {name: [] for name in bundle.files}
    for each in faults:
        by_file.setdefault(each["file"], []).append(each)
    return [
        _report(work, str(folder / name), bundle.files.get(name, ""), [{**each, "file": None} for each in found])
        for name, found in by_file.items()
    ]


def _report(work: Work, name: str, text: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Show the errors of one file, and return its part of the document."""
    faults = [located(each, name, text) for each in found]
    sound = not any(is_error(each) for each in faults)
    show_faults(work.screen, faults, {name: text})
    if sound:
        work.screen.say(f"{name}: valid", "green")
    return {"file": name, "sound": sound, "faults": faults}


def explain(work: Work) -> ExitCode:
    """Explain a query from a file or a stored one."""
    what = work.args.what
    is_file = what == "-" or what.endswith(FILE_ENDINGS) or Path(what).is_file()
    text = _read(what) if is_file else None
    with work.screen.busy("Explaining"):
        if text is not None:
            explained = _explained_file(work, what, text)
        else:
            explained = work.server.get(f"queries/{named(work.server, 'queries', what)['id']}/explain/")
    if work.screen.json:
        work.screen.document(explained)
    elif work.args.format == "json":
        work.screen.raw(json.dumps(explained["explanation"], indent=2, ensure_ascii=False))
    else:
        for line in str(explained[work.args.format]).splitlines():
            work.screen.say(line)
    return ExitCode.DONE


def _explained_file(work: Work, name: str, text: str) -> Any:
    try:
        return work.server.post("queries/explain/", _body(name, text))
    except CommandFailure as failure:
        failure.faults = [located(each, name, text) for each in failure.faults]
        failure.texts = {name: text}
        raise


def _read(name: str) -> str:
    if name == "-":
        return sys.stdin.read()
    return read_text(Path(name))


def _body(name: str, text: str) -> dict[str, Any]:
    if not name.endswith(".json"):
        return {"text": text}
    try:
        return {"graph": json.loads(text)}
    except (ValueError, RecursionError) as error:
        raise CommandFailure(ExitCode.REFUSED, f"{name} is not JSON: {error}.") from None
