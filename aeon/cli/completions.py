"""``aeon completions``: what a shell needs to complete the commands, their options and the options' choices."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator

from aeon.cli.options import parsers

__all__ = ["command"]

_BASH = """\
_aeon() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD-1]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words={commands}
    else
        case "${{COMP_WORDS[1]}} $previous" in
{choices}
        esac
        if [ -z "$words" ]; then
            case "${{COMP_WORDS[1]}}" in
{options}
            esac
            [[ "$current" == -* ]] || words=""
        fi
    fi
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _aeon aeon
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


def command(options: argparse.Namespace) -> int:
    """Print the script for a shell; it is made of the options as they are."""
    made = {"bash": _bash, "zsh": lambda: _ZSH + _bash(), "fish": _fish}
    print(made[options.shell](), end="")
    return 0


def _bash() -> str:
    """The script for bash: the words of the commands, and of the options with choices."""
    commands = parsers()
    options = "\n".join(_case([name], _words(_actions(parser))) for name, parser in commands.items())
    choices = "\n".join(
        _case([shlex.quote(f"{name} {word}") for word in one.option_strings], _choices(one))
        for name, parser in commands.items()
        for one in _actions(parser)
        if one.choices
    )
    return _BASH.format(commands=shlex.quote(" ".join(commands)), choices=choices, options=options)


def _case(patterns: list[str], words: str) -> str:
    """A branch of a case: where one of the patterns fits, these are the words."""
    return f"            {'|'.join(patterns)}) words={shlex.quote(words)};;"


def _words(actions: list[argparse.Action]) -> str:
    return " ".join(word for one in actions for word in one.option_strings)


def _choices(action: argparse.Action) -> str:
    return " ".join(map(str, action.choices or ()))


def _fish() -> str:
    """The script for fish: a line for each command, and for each option of each."""
    return "".join(f"{line}\n" for line in _fish_lines())


def _fish_lines() -> Iterator[str]:
    for name, parser in parsers().items():
        yield f"complete -c aeon -n __fish_use_subcommand -f -a {name} -d {_said(parser.description)}"
        seen = shlex.quote(f"__fish_seen_subcommand_from {name}")
        for one in _actions(parser):
            names = " ".join(
                f"-{'l' if word.startswith('--') else 's'} {word.lstrip('-')}" for word in one.option_strings
            )
            value = f" -x -a {shlex.quote(_choices(one))}" if one.choices else "" if one.nargs == 0 else " -r"
            yield f"complete -c aeon -n {seen} {names}{value} -d {_said(one.help)}"


def _said(text: str | None) -> str:
    return shlex.quote((text or "").replace("\n", " "))


def _actions(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    """The options of a command."""
    return [one for one in parser._actions if one.option_strings]
