"""Evoscope: evolutionary searches over language-model evaluations."""

__version__ = "0.1.0"
