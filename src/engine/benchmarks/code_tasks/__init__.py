"""Programming tasks with exact oracles, or any domain with a checker (design: cegar.md, 4)."""
