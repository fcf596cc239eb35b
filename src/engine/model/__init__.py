"""The domain types, frozen, shared by the engine and the screens; one module per search beside core."""
