"""Syn-Ledger: generated multi-document ledger tasks with known protocol shortcuts."""
