"""CHASE: counterfactual-guided harness evolution."""
