"""`validate` and `explain`: queries as text, or as the JSON of their graph."""

import json
import sys
from pathlib import Path
from typing import Any

from .faults import is_error, located, show_faults
from .folder import read_text
from .outcomes import Exit, Failure
from .work import Work, named

FILE_ENDINGS = (".sql", ".json")


def validate(work: Work) -> Exit:
    """Show every fault of each file; nothing is stored."""
    results = []
    for name in work.args.files:
        text = _read(name)
        with work.screen.busy(f"Checking {name}"):
            answered = work.server.post("queries/validate/", _body(name, text))
        faults = [located(each, name, text) for each in answered["faults"]]
        sound = not any(is_error(each) for each in faults)
        show_faults(work.screen, faults, {name: text})
        if sound:
            work.screen.say(f"{name}: sound", "green")
        results.append({"file": name, "sound": sound, "faults": faults})
    work.screen.document({"files": results})
    return Exit.DONE if all(each["sound"] for each in results) else Exit.REFUSED


def explain(work: Work) -> Exit:
    """Show what a query does, of a file or of one that is stored."""
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
    return Exit.DONE


def _explained_file(work: Work, name: str, text: str) -> Any:
    try:
        return work.server.post("queries/explain/", _body(name, text))
    except Failure as failure:
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
        raise Failure(Exit.REFUSED, f"{name} is not JSON: {error}.") from None
