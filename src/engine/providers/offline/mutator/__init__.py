"""The mutator: rule-based mutations per axis, a settable share of them careless."""

from .manifest import manifest

__all__ = ["manifest"]
