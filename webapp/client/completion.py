"""Completion for bash, zsh and fish, generated from the parser, so that it always matches the command line.

The script follows the words before the cursor to the command that they name (`/run/start`), and offers that command's
subcommands, options, choices and files. It never contacts a server.
"""

import argparse
import shlex
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from .outcomes import ExitCode
from .work import Work

MARK: Final = "completes"
"""The attribute of an action that names the completion of its values: `files`."""


@dataclass
class Level:
    """The words that may follow `at`: subcommands and options with their help, choices, files."""

    at: str
    commands: dict[str, str] = field(default_factory=dict)
    options: dict[str, str] = field(default_factory=dict)
    choices: list[str] = field(default_factory=list)
    files: bool = False


@dataclass
class Tree:
    """All levels, and the options with a value by level: their choices, and whether file names complete them."""

    levels: list[Level] = field(default_factory=list)
    values: dict[tuple[str, str], tuple[list[str], bool]] = field(default_factory=dict)

    @property
    def valued(self) -> list[str]:
        """Return the options that are followed by a value, at any level."""
        return list(dict.fromkeys(option for _, option in self.values))


def print_completion(work: Work, parser: argparse.ArgumentParser) -> ExitCode:
    """Print the script for a shell."""
    script = SHELLS[work.args.shell](tree_of(parser))
    if work.screen.json:
        work.screen.document({"shell": work.args.shell, "script": script})
    else:
        work.screen.raw(script)
    return ExitCode.DONE


def tree_of(parser: argparse.ArgumentParser) -> Tree:
    """Return the command line that the parser accepts."""
    tree = Tree()
    _walk(parser, "", tree)
    return tree


def _walk(parser: argparse.ArgumentParser, at: str, tree: Tree) -> None:
    level = Level(at)
    tree.levels.append(level)
    for action in parser._actions:
        files = getattr(action, MARK, None) == "files"
        if isinstance(action, argparse._SubParsersAction):
            level.commands = {each.dest: each.help or "" for each in action._choices_actions}
            for name, under in action.choices.items():
                _walk(under, f"{at}/{name}", tree)
        elif action.option_strings:
            level.options |= dict.fromkeys(action.option_strings, action.help or "")
            if action.nargs != 0:
                choices = [str(choice) for choice in action.choices or ()]
                tree.values |= {(at, option): (choices, files) for option in action.option_strings}
        else:
            level.choices += [str(choice) for choice in action.choices or ()]
            level.files = level.files or files


def _kinds(tree: Tree) -> Iterator[tuple[str, list[str], bool]]:
    """Yield level and option in one text, for a pattern of a shell, with its choices."""
    yield from ((f'"{at} {option}"', choices, files) for (at, option), (choices, files) in tree.values.items())


def bash(tree: Tree) -> str:
    """Return the script for bash."""
    walk = "\n".join(f'            "{level.at}") at="{level.at}" ;;' for level in tree.levels if level.at)
    values = "\n".join(
        f'        {option}) words="{" ".join(choices)}"; files={int(files)}; options="" ;;'
        for option, choices, files in _kinds(tree)
    )
    levels = "\n".join(
        f'            "{level.at}") words="{" ".join([*level.commands, *level.choices])}";'
        f' options="{" ".join(level.options)}"; files={int(level.files)} ;;'
        for level in tree.levels
    )
    return f"""# Completion of punctual for bash. In ~/.bashrc: eval "$(punctual completion bash)"
_punctual() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}"
    local at="" word words="" options="" files=0 i IFS=$' \\t\\n'
    for (( i = 1; i < COMP_CWORD; i++ )); do
        word="${{COMP_WORDS[i]}}"
        case "$word" in
            {"|".join(tree.valued)}) (( i++ )); continue ;;
        esac
        case "$at/$word" in
{walk}
        esac
    done
    case "$at $prev" in
{values}
        *) case "$at" in
{levels}
        esac ;;
    esac
    COMPREPLY=()
    if [[ "$cur" == -* ]]; then words="$options"; files=0; fi
    words="$(compgen -W "$words" -- "$cur")"
    IFS=$'\\n'
    COMPREPLY=( $words )
    if (( files )); then
        compopt -o filenames 2>/dev/null
        COMPREPLY+=( $(compgen -f -- "$cur") )
    fi
}}
complete -F _punctual punctual
"""


def zsh(tree: Tree) -> str:
    """Return the script for zsh; it works as a file of $fpath and with `source`."""
    walk = "\n".join(f'      ("{level.at}") at="{level.at}" ;;' for level in tree.levels if level.at)
    values = "\n".join(
        f"    ({option}) {'_files' if files else 'compadd -- ' + ' '.join(choices) if choices else ':'}; return ;;"
        for option, choices, files in _kinds(tree)
    )
    levels = "\n".join(
        f'    ("{level.at}") commands=({_described(level.commands)}) options=({_described(level.options)})'
        f" choices=({' '.join(level.choices)}) files={int(level.files)} ;;"
        for level in tree.levels
    )
    return f"""#compdef punctual
# Completion of punctual for zsh. Into a folder of $fpath: punctual completion zsh > ~/.zfunc/_punctual
_punctual() {{
  local at="" word i files=0
  local -a commands options choices
  for (( i = 2; i < CURRENT; i++ )); do
    word="${{words[i]}}"
    case "$word" in
      ({"|".join(tree.valued)}) (( i++ )); continue ;;
    esac
    case "$at/$word" in
{walk}
    esac
  done
  case "$at ${{words[CURRENT-1]}}" in
{values}
  esac
  case "$at" in
{levels}
  esac
  if [[ "${{words[CURRENT]}}" == -* ]]; then
    _describe -o option options
    return
  fi
  (( $#commands )) && _describe command commands
  (( $#choices )) && compadd -- $choices
  (( files )) && _files
}}
if [ "$funcstack[1]" = "_punctual" ]; then
  _punctual "$@"
else
  compdef _punctual punctual
fi
"""


def _described(words: Mapping[str, str]) -> str:
    return " ".join(shlex.quote(f"{word}:{text.replace(':', ' -')}") for word, text in words.items())


def fish(tree: Tree) -> str:
    """Return the script for fish."""
    walk = "\n".join(f'            case "{level.at}"\n                set at "{level.at}"' for level in tree.levels[1:])
    lines = [line for level in tree.levels for line in _fish_lines(level, tree)]
    return f"""# Completion of punctual for fish: punctual completion fish > ~/.config/fish/completions/punctual.fish
function __punctual_at
    set -l at ""
    set -l skip 0
    for word in (commandline -opc)[2..-1]
        if test $skip = 1
            set skip 0
            continue
        end
        switch $word
            case {" ".join(tree.valued)}
                set skip 1
                continue
        end
        switch "$at/$word"
{walk}
        end
    end
    test "$at" = "$argv[1]"
end
complete -c punctual -f
{chr(10).join(lines)}
"""


def _fish_lines(level: Level, tree: Tree) -> Iterator[str]:
    start = f"""complete -c punctual -n '__punctual_at "{level.at}"'"""
    for name, text in level.commands.items():
        yield f"{start} -a {name} -d {_fish_quoted(text)}"
    if level.choices:
        yield f"{start} -a '{' '.join(level.choices)}'"
    if level.files:
        yield f"{start} -F"
    for option, text in level.options.items():
        kind = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
        choices, files = tree.values.get((level.at, option), ([], False))
        value = f" -x -a '{' '.join(choices)}'" if choices else " -r -F" if files else " -x"
        yield f"{start} {kind}{value if (level.at, option) in tree.values else ''} -d {_fish_quoted(text)}"


def _fish_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


SHELLS: Final[Mapping[str, Callable[[Tree], str]]] = {"bash": bash, "zsh": zsh, "fish": fish}
