"""Tools that make what the service ships, the tuned reader and the tuned ears: run by hand, never by the service."""
