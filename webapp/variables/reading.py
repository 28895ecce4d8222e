"""Reading the environment by the table: every problem is collected, so that one start shows all of them."""

from collections.abc import Mapping
from pathlib import Path

from webapp.variables.table import FILE, KNOWN, OF_THE_CLIENT, SECRETS, VARIABLES, Kind, Variable

_PREFIX = "PUNCTUAL_"


class Environment:
    """The variables of one environment; `problems` are sentences, each with what to do.

    A variable with a problem reads as its default, so that reading continues and finds the others. Check
    `problems` before anything starts.
    """

    def __init__(self, inherited: Mapping[str, str]) -> None:
        self._set = {name: inherited[name] for name in VARIABLES if inherited.get(name)}
        self.problems = _unknown(inherited)
        self.handed_on = {name: value for name, value in inherited.items() if name not in SECRETS}
        """The variables that a runner may inherit."""
        for variable in VARIABLES.values():
            if variable.secret:
                self._read_file(variable.name, inherited)
        for variable in VARIABLES.values():
            self._check(variable)

    def is_set(self, name: str) -> bool:
        """Return whether the variable has a value of its own, in the environment or in a file."""
        return name in self._set

    def text(self, name: str) -> str:
        """Return the value, else the default; empty without both."""
        return self._set.get(name) or VARIABLES[name].default

    def switch(self, name: str) -> bool:
        """Return whether the switch is on."""
        return self.text(name) == "1"

    def number(self, name: str) -> int:
        """Return the whole number."""
        return int(self.text(name))

    def parts(self, name: str) -> list[str]:
        """Return the entries of a list."""
        return [part.strip() for part in self.text(name).split(",") if part.strip()]

    def values(self) -> dict[str, str]:
        """Return the values that are set; secrets include the contents of their files."""
        return dict(self._set)

    def _read_file(self, name: str, inherited: Mapping[str, str]) -> None:
        path = inherited.get(name + FILE)
        if not path:
            return
        if name in self._set:
            self.problems.append(f"{name} and {name + FILE} are both set: unset one of them.")
            return
        try:
            text = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it isn't UTF-8 text"
            self.problems.append(f"{name + FILE}: {path} can't be read ({reason}). Name a readable file.")
            return
        if not text:
            self.problems.append(f"{name + FILE}: {path} is empty. Write the value of {name} into it.")
            return
        self._set[name] = text

    def _check(self, variable: Variable) -> None:
        """Replace a value of the wrong form by the default, and note the problem."""
        value = self._set.get(variable.name)
        if value is None:
            return
        remedy = _wrong_form(variable, value)
        if remedy is not None:
            shown = "invalid" if variable.secret else repr(value)
            self.problems.append(f"{variable.name} is {shown}: set it to {remedy}.")
            del self._set[variable.name]


def _wrong_form(variable: Variable, value: str) -> str | None:
    """Return the expected form if `value` doesn't have it."""
    if variable.kind is Kind.SWITCH and value not in {"0", "1"}:
        return "0 or 1"
    if variable.kind is Kind.NUMBER and not (value.isascii() and value.isdecimal()):
        return "a whole number"
    if variable.kind is Kind.CHOICE and value not in variable.choices:
        return " or ".join(variable.choices)
    return None


def _unknown(inherited: Mapping[str, str]) -> list[str]:
    unknown = sorted(name for name in inherited if name.startswith(_PREFIX) and name not in KNOWN | OF_THE_CLIENT)
    return [
        f"{name} isn't a setting: unset it or correct its name; deploy/CONFIGURATION.md lists all settings."
        for name in unknown
    ]
