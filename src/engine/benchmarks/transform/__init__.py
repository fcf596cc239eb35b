"""Typed protocol transformations and the firewall that admits them."""
