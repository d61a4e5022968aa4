"""Figures of the service for Prometheus; none of them knows a table, a seat or an address."""

import time
from collections import Counter as Tally
from collections.abc import Iterable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice.service.tables import ServedTable, State


class Metrics:
    """A registry of its own: two services in one process do not add up."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._tables = Gauge("moderator_tables", "Tables by state", ["state"], registry=self.registry)
        self._requests = Counter(
            "moderator_http_requests", "HTTP requests", ["route", "method", "status"], registry=self.registry
        )
        self._seconds = Histogram("moderator_http_seconds", "Time to answer", ["route"], registry=self.registry)
        self.game_deaths = Counter("moderator_game_deaths", "Game processes that died", registry=self.registry)
        self.handed_out_again = Counter(
            "moderator_games_handed_out_again", "Games that no worker played", registry=self.registry
        )
        self.livekit_deaths = Counter("moderator_livekit_deaths", "Media servers that died", registry=self.registry)

    def answered(self, route: str, method: str, status: int, seconds: float) -> None:
        self._requests.labels(route, method, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def exposition(self, tables: Iterable[ServedTable]) -> bytes:
        """In Prometheus' text format."""
        states = Tally(table.state for table in tables)
        for state in State:
            self._tables.labels(state.value).set(states[state])
        return generate_latest(self.registry)


class Measured:
    """ASGI middleware. Routes are counted by their pattern: a path would tell join codes."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started_s, status = time.perf_counter(), 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            method = scope["method"] if scope["method"] in ("GET", "HEAD", "POST") else "other"
            self._metrics.answered(route, method, status, time.perf_counter() - started_s)
