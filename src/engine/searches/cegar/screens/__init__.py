"""Leakage screens: what an authored operator must not do to reach a verdict (Appendix A)."""
