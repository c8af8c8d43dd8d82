"""`bifilar completion SHELL`: a script that teaches a shell commands, options, their choices and the built-in robots."""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

from tyro.conf import Positional, arg

from bifilar.cli.friction_words import Words
from bifilar.cli.letter import json_text
from bifilar.cli.options import JsonOutput, is_positional, resolved

SUMMARY = """A script that teaches a shell to complete commands, options, their choices, and names of built-in robots.

It is printed; a shell reads it when it starts."""
EXAMPLES = """\
  bifilar completion bash >> ~/.bash_completion                               for bash
  bifilar completion zsh >> ~/.zshrc                                          for zsh
  bifilar completion fish > ~/.config/fish/completions/bifilar.fish           for fish
  eval "$(bifilar completion bash)"                                           for this shell only
"""
ONE_WORD = "completion takes one shell at a time"

Shell = Literal["bash", "zsh", "fish"]


@dataclass(frozen=True, kw_only=True)
class Settings(JsonOutput):
    """Which shell.

    >>> Settings(shell="bash").json
    False
    """

    shell: Annotated[Positional[Shell], arg(metavar="SHELL")]  # bash, zsh or fish


class Option(NamedTuple):
    """An option of a command: its word, whether something follows it, and what may.

    >>> Option("--method", True, ("consistent", "least-squares")).choices[0]
    'consistent'
    """

    word: str
    takes: bool
    choices: tuple[str, ...] = ()


class Verb(NamedTuple):
    """A command as a shell sees it.

    >>> Verb("inspect", "what a robot is", (), ("panda",)).names
    ('panda',)
    """

    name: str
    about: str
    options: tuple[Option, ...]
    names: tuple[str, ...]  # words that may stand without an option: built-in robots, choices


def run(settings: Settings) -> int:
    """Print the script.

    >>> run(Settings(shell="fish", json=True))
    {
      "shell": "fish",
      ...
    0
    """
    text = script(settings.shell, verbs())
    sys.stdout.write(json_text({"shell": settings.shell, "script": text}) if settings.json else text)
    return 0


def verbs() -> list[Verb]:
    """Every command with its options.

    >>> fit = next(verb for verb in verbs() if verb.name == "fit")
    >>> next(option for option in fit.options if option.word == "--friction").choices[:3]
    ('choose', 'usual', 'none')
    >>> "panda" in fit.names, next(option for option in fit.options if option.word == "--method").choices
    (True, ('consistent', 'least-squares'))
    """
    from bifilar.cli import VERBS
    from bifilar.robot.library import names

    found = []
    for name, about in VERBS.items():
        settings = resolved(import_module(f"bifilar.cli.{name.replace('-', '_')}").Settings)
        hints = get_type_hints(settings, include_extras=True)
        named = [field.name for field in fields(settings) if not is_positional(hints[field.name])]
        options = tuple(Option(f"--{key.replace('_', '-')}", *_takes(hints[key])) for key in named)
        everywhere = (Option("--settings", True), Option("--help", False))
        robots = names() if {"robot", "source"} & set(hints) else ()
        bare = [word for key in hints if key not in named for word in _takes(hints[key])[1]]
        found.append(Verb(name, about, (*options, *everywhere), (*robots, *bare)))
    return found


def script(shell: Shell, known: list[Verb]) -> str:
    """The script of a shell.

    >>> print(script("fish", [Verb("inspect", "a robot", (Option("--json", False),), ("panda",))]))
    # bifilar for fish
    complete -c bifilar -n __fish_use_subcommand -f -a inspect -d 'a robot'
    complete -c bifilar -n '__fish_seen_subcommand_from inspect' -l json
    complete -c bifilar -n '__fish_seen_subcommand_from inspect' -a 'panda'
    # next     bifilar completion fish > ~/.config/fish/completions/bifilar.fish
    <BLANKLINE>
    """
    if shell == "fish":
        return _fish(known)
    head = "autoload -U +X compinit bashcompinit && compinit && bashcompinit\n" if shell == "zsh" else ""
    after = "~/.zshrc" if shell == "zsh" else "~/.bash_completion"
    return f"# bifilar for {shell}\n{head}{_bash(known)}# next     bifilar completion {shell} >> {after}\n"


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def _takes(hint: Any) -> tuple[bool, tuple[str, ...]]:
    """Whether words follow an option, and the words that may: those that its annotation lists, else those of its type."""
    listed = [mark.words for mark in getattr(hint, "__metadata__", ()) if isinstance(mark, Words)]
    if listed:
        return True, listed[0]
    hint = _bare(hint)
    if hint is bool:
        return False, ()
    if get_origin(hint) is Literal:
        return True, tuple(map(str, get_args(hint)))
    inner = [_takes(part)[1] for part in get_args(hint) if part not in (type(None), Ellipsis)]
    return True, next((choices for choices in inner if choices), ())


def _bash(known: list[Verb]) -> str:
    lines = [
        "_bifilar() {",
        '  local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" options="" names=""',
    ]
    words = " ".join([*(verb.name for verb in known), "--help", "--version"])
    lines += ['  if [ "$COMP_CWORD" -eq 1 ]; then', f'    COMPREPLY=($(compgen -W "{words}" -- "$word")); return', "  fi"]
    lines += ['  case "${COMP_WORDS[1]}:$before" in']
    for verb in known:
        chosen = [option for option in verb.options if option.choices]
        lines += [
            f'    {verb.name}:{o.word}) COMPREPLY=($(compgen -W "{" ".join(o.choices)}" -- "$word")); return;;' for o in chosen
        ]
    lines += ["  esac", '  case "${COMP_WORDS[1]}" in']
    for verb in known:
        of = " ".join(option.word for option in verb.options)
        lines += [f'    {verb.name}) options="{of}"' + (f' names="{" ".join(verb.names)}"' if verb.names else "") + ";;"]
    lines += ["  esac", '  case "$word" in', '    -*) COMPREPLY=($(compgen -W "$options" -- "$word")); return;;', "  esac"]
    lines += ['  COMPREPLY=($(compgen -W "$names" -- "$word"))']
    lines += ["  local IFS=$'\\n'", '  COMPREPLY+=($(compgen -f -- "$word"))', "}"]
    return "\n".join([*lines, "complete -o filenames -F _bifilar bifilar", ""])


def _fish(known: list[Verb]) -> str:
    lines = ["# bifilar for fish"]
    for verb in known:
        about = verb.about.replace("\\", "\\\\").replace("'", "\\'")
        lines.append(f"complete -c bifilar -n __fish_use_subcommand -f -a {verb.name} -d '{about}'")
    for verb in known:
        here = f"complete -c bifilar -n '__fish_seen_subcommand_from {verb.name}'"
        for option in verb.options:
            chosen = f" -x -a '{' '.join(option.choices)}'" if option.choices else " -r" if option.takes else ""
            lines.append(f"{here} -l {option.word[2:]}{chosen}")
        lines += [f"{here} -a '{' '.join(verb.names)}'"] if verb.names else []
    return "\n".join([*lines, "# next     bifilar completion fish > ~/.config/fish/completions/bifilar.fish", ""])
