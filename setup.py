"""Maps the package `evoscope` to `src/`; what setuptools cannot say in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=[
        "evoscope",
        "evoscope.prompts",
        "evoscope.themes",
        "evoscope.examples",
        *(f"evoscope.{name}" for name in find_packages("src")),
    ],
    package_dir={
        "evoscope": "src",
        "evoscope.prompts": "prompts",
        "evoscope.themes": "themes",
        "evoscope.examples": "examples",
    },
    package_data={
        "evoscope": ["py.typed"],
        "evoscope.tui": ["**/*.tcss"],
        "evoscope.engine.store": ["*.sql"],
        "evoscope.engine.benchmarks": ["samples/**/*"],
        "evoscope.prompts": ["**/*.md", "**/*.json"],
        "evoscope.themes": ["*.toml"],
        "evoscope.examples": ["**/*"],
    },
)
