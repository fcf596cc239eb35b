"""The domain types, frozen, shared by engine and screens; one module per search beside core."""
