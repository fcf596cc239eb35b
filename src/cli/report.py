"""`evoscope report`: a run's tables and figures as Markdown, JSON or one HTML page."""

from pathlib import Path

import click

from ..engine.errors import UsageError
from .output import json_text, narrate
from .runs import run_argument

FORMATS = ("md", "json", "html")


@click.command()
@run_argument
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="What to write [default: by the ending of -o, else md].",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="A file instead of stdout.")
def report(run: Path, form: str | None, as_json: bool, output: Path | None) -> None:
    """Print a run's tables and figures, finished or not.

    Every table says what its figures are of; the paper's own figures stand beside them and are
    marked as such.
    """
    text = rendered(run, form or ("json" if as_json else _form_of(output)))
    if output is None:
        click.echo(text.encode(), nl=False)
    else:
        _write(output, text)
        narrate(f"report written to {output}")


def rendered(path: Path, form: str) -> str:
    """The report of a run's file in one of FORMATS."""
    from ..engine.report.html import html
    from ..engine.report.open_report import open_report
    from ..engine.report.render import as_json, markdown

    found = open_report(path)
    if form == "json":
        return json_text(as_json(found)) + "\n"
    return html(found) if form == "html" else markdown(found)


def _form_of(output: Path | None) -> str:
    ending = output.suffix.lstrip(".").lower() if output else ""
    return {"json": "json", "html": "html", "htm": "html"}.get(ending, "md")


def _write(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(
            f"{output}: cannot be written ({error.strerror}); give another path to -o"
        ) from error
