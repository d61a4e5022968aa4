"""Many machines: the service hands games out through LiveKit's dispatch, workers play them (docs/scale.md)."""
