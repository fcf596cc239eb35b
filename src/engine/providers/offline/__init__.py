"""Offline models: deterministic programs that play every role of a search without a key."""

from .provider import OfflineProvider

__all__ = ["OfflineProvider"]
