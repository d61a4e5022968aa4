"""Tools that make what the service ships: run by hand, never by the service itself."""
