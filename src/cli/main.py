"""The command `evoscope`: imports a command when it is used, answers an error in one line.

Exit codes: 0 done, 1 failed, 2 wrong usage or configuration, 3 stopped before the end.
"""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from .. import __version__
from ..engine.errors import EvoscopeError

STOPPED = 3
ERROR_PREFIX = "evoscope: "
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("config", "Write a commented configuration to start from."),
    "check": ("config", "Check a configuration: every problem at once."),
    "cost": ("cost", "Forecast a run's calls, tokens and money."),
    "run": ("start", "Start a run and watch it."),
    "demo": ("start", "Start a demonstration: offline, bundled data, no key."),
    "resume": ("start", "Lift a pause; start the engine again if it is gone."),
    "attach": ("attach", "Open the app on a run, or on the list of runs."),
    "ls": ("status", "List the runs of the folder."),
    "status": ("status", "Show where a run stands."),
    "wait": ("watch", "Wait until a run ends or pauses; exit with its code."),
    "follow": ("watch", "Print verdicts and events as they come."),
    "pause": ("commands", "Pause a run: no new call leaves."),
    "stop": ("commands", "Stop a run's engine."),
    "veto": ("commands", "Take a node and its descendants out of the search."),
    "unveto": ("commands", "Undo a veto that no decision has used."),
    "set": ("commands", "Change concurrency, budget, parallel cases or a price."),
    "skip": ("commands", "Finish a case with what it has."),
    "retry": ("commands", "Reopen parked cases."),
    "show": ("show", "List nodes, axes, ledger, archive, calls and more."),
    "label": ("label", "Label inputs blindly, and compare with the gates."),
    "inspect": ("inspect", "Show one node: diff, verdicts, rollouts, lineage."),
    "report": ("report", "Print a run's tables and figures."),
    "score": ("score", "Score a cegar run on its held-out tasks."),
    "export": ("export", "Write a run's results as files."),
    "verify": ("verify", "Replay a run from its recorded responses."),
    "digest": ("verify", "Print the hash that identical runs share."),
    "backup": ("files", "Copy a run, even a live one."),
    "rm": ("files", "Delete a run."),
    "grade": ("grade", "Grade responses as a benchmark does."),
    "sandbox": ("sandbox", "Run one program in the sandbox: its verdict and cost."),
    "stats": ("stats", "Compute agreement, entropy and bootstrap of files."),
    "doctor": ("doctor", "Check this machine and its settings."),
    "_engine": ("start", ""),
}
"""Command: its module in this package and its line in the list of commands."""


class LazyGroup(click.Group):
    """Imports a command's module when the command is used, never to list it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands that people see, in the order of the table."""
        return [name for name in COMMANDS if not name.startswith("_")]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"evoscope.cli.{COMMANDS[cmd_name][0]}")
        attribute = {"set": "set_values"}.get(cmd_name, cmd_name).lstrip("_")
        command = getattr(module, attribute)
        assert isinstance(command, click.Command)
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; a reader that stops reading (`| head`) has what it wanted."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands from the table alone."""
        rows = [(name, COMMANDS[name][1]) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="evoscope", message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, expose_value=False, help="Add the traceback to an error.")
def cli() -> None:
    """Evolutionary searches over language-model evaluations, live in a terminal.

    RUN is a run's name, a unique prefix of it, or a path. Runs live in --dir, else in
    $EVOSCOPE_RUNS, else in ./runs.
    """


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code. Errors are one line on standard error."""
    args = list(sys.argv[1:] if arguments is None else arguments)
    debug = "--debug" in args
    args = [arg for arg in args if arg != "--debug"]
    _keep_printing_in_any_locale()
    try:
        return _code(cli.main(args, prog_name="evoscope", standalone_mode=False))
    except (KeyboardInterrupt, click.Abort):
        return _say("interrupted", STOPPED)
    except (EvoscopeError, click.ClickException) as error:
        if debug:
            traceback.print_exc()
        return _say(_message(error), error.exit_code)
    except Exception as error:
        if debug:
            traceback.print_exc()
        kind = type(error).__name__
        return _say(f"{kind}: {error} (a fault of evoscope; --debug shows where)", 1)


def _code(result: Any) -> int:
    return result if isinstance(result, int) else 0


def _say(message: str, code: int) -> int:
    from ..tui.text import clean_line

    for line in message.splitlines() or [""]:
        print(f"{ERROR_PREFIX}{clean_line(line)}", file=sys.stderr)
    return code


def _message(error: Exception) -> str:
    if not isinstance(error, click.ClickException):
        return str(error)
    message = error.format_message().rstrip(".")
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "evoscope"
    return f"{message.splitlines()[0]} (see {command} --help)"


def _keep_printing_in_any_locale() -> None:
    """A terminal that cannot show a character gets its number, never an exception."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")


if __name__ == "__main__":
    sys.exit(main())
