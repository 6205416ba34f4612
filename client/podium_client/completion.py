"""Completion of commands and options in shells, from the parser of the command."""

import argparse
from collections.abc import Mapping

from podium_client.errors import ClientError

SHELLS = ("bash", "zsh", "fish")


def words_of(parser: argparse.ArgumentParser) -> dict[str, list[str]]:
    """Return commands and options by the words before them: the empty text for the beginning, then ``data``, ``data get``."""
    words: dict[str, list[str]] = {}
    _collect(parser, "", words)
    return words


def _collect(parser: argparse.ArgumentParser, before: str, words: dict[str, list[str]]) -> None:
    options: list[str] = []
    for action in parser._actions:  # noqa: SLF001 (argparse lists its actions nowhere else)
        options += [option for option in action.option_strings if option.startswith("--")]
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            for name, command in action.choices.items():
                options.append(name)
                _collect(command, f"{before} {name}".strip(), words)
    words[before] = sorted(set(options))


def script(shell: str, words: Mapping[str, list[str]]) -> str:
    """Return the text that a shell evaluates to complete the command.

    Raises
    ------
    ClientError
        For another shell.
    """
    if shell == "fish":
        return _fish(words)
    if shell not in SHELLS:
        raise ClientError(f"{shell} is none of the shells {', '.join(SHELLS)}.")
    cases = "\n".join(f'    "{before}") words="{" ".join(entries)}" ;;' for before, entries in sorted(words.items()))
    body = f"""_podium() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="" word words=""
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case "$word" in -*) ;; *) before="${{before:+$before }}$word" ;; esac
  done
  while :; do
    case "$before" in
{cases}
    esac
    [ -n "$words" ] && break
    [ -z "$before" ] && break
    case "$before" in *\\ *) before="${{before% *}}" ;; *) before="" ;; esac
  done
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [ ${{#COMPREPLY[@]}} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))
}}
complete -o filenames -F _podium podium
"""
    return body if shell == "bash" else f"autoload -U +X bashcompinit && bashcompinit\n{body}"


def _fish(words: Mapping[str, list[str]]) -> str:
    lines = []
    for before, entries in sorted(words.items()):
        steps = before.split()
        condition = " and ".join(f"__fish_seen_subcommand_from {step}" for step in steps) or "__fish_use_subcommand"
        condition = condition.replace(" and ", "; and ")
        for entry in entries:
            part = f"-l {entry[2:]}" if entry.startswith("--") else f"-a {entry}"
            lines.append(f"complete -c podium -n '{condition}' {part}")
    return "\n".join(lines) + "\n"
