"""`evoscope export`: a run's results as files that other tools read."""

from pathlib import Path

import click

from .output import narrate
from .runs import run_argument


@click.command()
@run_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="A new folder for the files.",
)
def export(run: Path, output: Path) -> None:
    """Write a run's results as files.

    For harden: the finished cases in their source's own format, the fresh responses as `evoscope
    grade` reads them, and a run card. The export is loaded and graded again before it counts.
    For chase: the chosen harness as a spec file, a configuration that starts from it, the archive
    as transformation specs, and a run card.
    For cegar: the pool as an installable Python package with a function `score`, which calls no
    model.
    """
    from ..engine.store.status import read_status

    search = read_status(run).search
    if search == "chase":
        from ..engine.export_chase import export_harness

        for file in export_harness(run, output):
            click.echo(str(file))
        narrate(f"`evoscope run {output / 'run.toml'}` goes on from the chosen harness")
        return
    if search == "cegar":
        from ..engine.export_cegar import export_pool

        made = export_pool(run, output)
        for file in made:
            click.echo(str(file))
        narrate(f"{len(made)} files; `pip install {output}` installs the pool")
        return
    from ..engine.export import export_run

    files = export_run(run, output)
    for file in files:
        click.echo(str(file))
    narrate(f"{len(files)} files, graded again as in the run")
