"""EvalCEGAR: an evaluator evolved from its own blind spots (design: cegar.md)."""
