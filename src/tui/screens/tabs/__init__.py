"""The tabs of a run."""
