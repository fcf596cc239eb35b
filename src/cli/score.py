"""`evoscope score`: a cegar run's pool on the held-out tasks, which nothing else reads."""

from pathlib import Path

import click

from .output import narrate
from .report import FORMATS, rendered
from .runs import run_argument


@click.command()
@run_argument
@click.option("--format", "form", type=click.Choice(FORMATS), default="md", help="[default: md]")
def score(run: Path, form: str) -> None:
    """Score RUN's pool on its held-out tasks, and print the report with these figures.

    Labels the held-out samples in the sandbox and runs every operator on them. What is done is
    kept beside the run: an interrupted scoring goes on where it stopped.
    """
    from ..engine.scoring import score_run

    narrate(f"scoring {run.stem} on its held-out tasks")
    score_run(run)
    click.echo(rendered(run, form).encode(), nl=False)
