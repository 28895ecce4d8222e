"""The places that a run writes: a file for each output, and one for the late rows."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from streaming.run.errors import RunFailed, UsageError

Form = Literal["json_lines", "parquet"]
_FORMS: Mapping[str, Form] = {
    ".jsonl": "json_lines",
    ".ndjson": "json_lines",
    ".json": "json_lines",
    ".parquet": "parquet",
}
STANDARD_OUTPUT = "-"
PLACE = "{output}"


@dataclass(frozen=True)
class OutputPlace:
    """A file, or without `path` standard output, and its form."""

    path: Path | None
    form: Form = "json_lines"


@dataclass(frozen=True)
class OutputPlaces:
    """The place of each output by its id, and of late rows; None if these are not kept."""

    outputs: Mapping[str, OutputPlace]
    late: Path | None


def check_places(where: OutputPlaces, inputs: Iterable[Path], folders: Iterable[Path] = ()) -> None:
    """Refuse to write a file twice, to overwrite an input, or to write into an input folder.

    An existing path that is not a file (a folder, device or pipe) would be replaced by one, so it is refused. Raises
    `UsageError`, and `RunFailed` for an impossible path.
    """
    read = {path.resolve() for path in inputs}
    watched = {path.resolve() for path in folders}
    taken: set[Path] = set()
    for path in [place.path for place in where.outputs.values()] + [where.late]:
        if path is None:
            continue
        _require_file(path)
        if path.resolve() in read:
            raise UsageError(f"{path} is an input, and would be written over; choose another place for the results.")
        if path.resolve().parent in watched:
            raise UsageError(
                f"{path} would be in a folder that is an input, and the next run would read it; choose another place."
            )
        if path.resolve() in taken:
            raise UsageError(f"{path} would be written twice; choose another place for one of the outputs.")
        taken.add(path.resolve())


def _require_file(path: Path) -> None:
    if "\0" in str(path):
        raise RunFailed(f"{str(path)!r} cannot be written (it has a null character).")
    try:
        is_other = path.exists() and not path.is_file()  # without an error there, no handler runs
    except OSError as error:
        raise RunFailed(f"{path} cannot be written ({error.strerror}).") from None
    if is_other:
        raise UsageError(f"{path} is a folder, a device or a pipe, and a run writes files; choose another place.")


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False  # `check_places` names the reason


def places(target: str, outputs: Sequence[str], late: Path | None) -> OutputPlaces:
    """Return where `--output` and `--late` send the `outputs`. Raises `UsageError`.

    With `{output}` in the name each output has a separate file, in a folder (an existing one, or a path that ends with
    /) `<output>.jsonl`; one output alone may be any file. Late rows: the same name with the ending `.late.jsonl`, `all`
    for {output}; in a folder `all.late.jsonl`; with standard output none without `--late`.
    """
    if target == STANDARD_OUTPUT:
        return OutputPlaces(dict.fromkeys(outputs, OutputPlace(None)), late)
    path = Path(target)
    if target.endswith("/") or _is_folder(path):
        files = {output: OutputPlace(path / f"{output}.jsonl") for output in outputs}
        return OutputPlaces(files, late or path / "all.late.jsonl")
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(
            f"--output {target}: use a name that ends in .jsonl or .parquet, or a folder that ends with /."
        )
    beside = late or Path(target.replace(PLACE, "all")).with_suffix(".late.jsonl")
    if PLACE in target:
        return OutputPlaces(
            {output: OutputPlace(Path(target.replace(PLACE, output)), form) for output in outputs}, beside
        )
    if len(outputs) > 1:
        raise UsageError(
            f"The query has the outputs {', '.join(outputs)}: name a folder (--output {path.with_suffix('')}/), or "
            f"write {PLACE} in the name (--output {path.stem}-{PLACE}{path.suffix})."
        )
    return OutputPlaces({output: OutputPlace(path, form) for output in outputs}, beside)
