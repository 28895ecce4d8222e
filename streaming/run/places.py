"""Where a run writes: a file for each output, and the late rows beside them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from streaming.run.errors import UsageError

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
    """A file, or with no `path` standard output, and its form."""

    path: Path | None
    form: Form = "json_lines"


@dataclass(frozen=True)
class OutputPlaces:
    """The place of each output by its id, and of late rows; None where these are not kept."""

    outputs: Mapping[str, OutputPlace]
    late: Path | None


def check_places(where: OutputPlaces, inputs: Iterable[Path], folders: Iterable[Path] = ()) -> None:
    """No file is written twice, none that is read, and none into a folder that is. Raises `UsageError`."""
    read = {path.resolve() for path in inputs}
    watched = {path.resolve() for path in folders}
    taken: set[Path] = set()
    for path in [place.path for place in where.outputs.values()] + [where.late]:
        if path is None:
            continue
        if path.resolve() in read:
            raise UsageError(f"{path} is an input, and would be written over; choose another place for the results.")
        if path.resolve().parent in watched:
            raise UsageError(
                f"{path} would be in a folder that is an input, and the next run would read it; choose another place."
            )
        if path.resolve() in taken:
            raise UsageError(f"{path} would be written twice; choose another place for one of the outputs.")
        taken.add(path.resolve())


def places(said: str, outputs: Sequence[str], late: Path | None) -> OutputPlaces:
    """Where `--output` and `--late` send the `outputs`. Raises `UsageError`.

    With `{output}` in the name each output has a file of its own, in a folder (an existing one, or a path that ends
    with /) `<output>.jsonl`; one output alone may be any file. Late rows: the same name with `.late.jsonl` for its
    ending, `all` for {output}; in a folder `all.late.jsonl`; beside standard output none without `--late`.
    """
    if said == STANDARD_OUTPUT:
        return OutputPlaces(dict.fromkeys(outputs, OutputPlace(None)), late)
    path = Path(said)
    if said.endswith("/") or path.is_dir():
        files = {output: OutputPlace(path / f"{output}.jsonl") for output in outputs}
        return OutputPlaces(files, late or path / "all.late.jsonl")
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise UsageError(
            f"--output {said}: the name ends in .jsonl or .parquet, or the path is a folder and ends with /."
        )
    beside = late or Path(said.replace(PLACE, "all")).with_suffix(".late.jsonl")
    if PLACE in said:
        return OutputPlaces(
            {output: OutputPlace(Path(said.replace(PLACE, output)), form) for output in outputs}, beside
        )
    if len(outputs) > 1:
        raise UsageError(
            f"The query has the outputs {', '.join(outputs)}: name a folder (--output {path.with_suffix('')}/), or "
            f"write {PLACE} in the name (--output {path.stem}-{PLACE}{path.suffix})."
        )
    return OutputPlaces({output: OutputPlace(path, form) for output in outputs}, beside)
