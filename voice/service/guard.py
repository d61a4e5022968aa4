"""What stands between the net and the tables: limits by address, and the headers of every answer."""

import ipaddress
import math
import time
from collections.abc import Callable
from typing import Any, get_args

from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from voice.ports import Lang
from voice.service.config import Rates
from voice.service.denied import Denied

IPV6_PREFIX = 64
"""One household has a whole network of these."""
REVIEW_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; sandbox allow-scripts"
)
"""For a review: a document with a style and a script of its own, that reaches nothing, and none of what we keep."""


def origin(request: Request) -> str:
    """Whom a limit counts: the address, as the proxy in front of us tells it."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    return host if address.version == 4 else str(ipaddress.ip_network((address, IPV6_PREFIX), strict=False))


def spoken(request: Request) -> Lang:
    """The first of our languages that the browser lists; English where it lists none. For who is at no table yet."""
    listed = [tag.strip()[:2].lower() for tag in request.headers.get("accept-language", "").split(",")]
    return next((lang for tag in listed for lang in get_args(Lang) if lang == tag), "en")


class Limits:
    """Counts in the memory of this process, each in a sliding window."""

    def __init__(self, rates: Rates) -> None:
        self._rates, self._window = rates, MovingWindowRateLimiter(MemoryStorage())

    async def spend(self, what: str, who: str, lang: Lang = "en") -> None:
        """Raises `Denied` when this is once too often."""
        if not await self._window.hit(self._rates.item(what), what, who):
            raise Denied("too_many", lang, retry_s=await self._wait_s(what, who))

    async def check(self, what: str, who: str, code: str = "too_many", lang: Lang = "en") -> None:
        """As `spend`, without counting."""
        if not await self._window.test(self._rates.item(what), what, who):
            raise Denied(code, lang, retry_s=await self._wait_s(what, who))

    async def _wait_s(self, what: str, who: str) -> int:
        """Until the first of those that fill the window leaves it."""
        reset_s, _ = await self._window.get_window_stats(self._rates.item(what), what, who)
        return max(1, math.ceil(reset_s - time.time()))


def page_policy(livekit_url: str) -> str:
    """Content security policy of the client's page: its own files, and one media server. `livekit_url`: ws or wss."""
    media = f"{livekit_url} {livekit_url.replace('ws', 'http', 1)}"
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
        f"media-src 'self' blob: mediastream:; worker-src 'self' blob:; connect-src 'self' {media}; "
        "manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    )


class SafeHeaders:
    """ASGI middleware: nobody frames the page, and nothing of a join link leaves it by a referrer."""

    def __init__(self, app: ASGIApp, livekit_url: Callable[[Any], str]) -> None:
        self._app, self._livekit_url = app, livekit_url

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._add(MutableHeaders(scope=message), Request(scope))
            await send(message)

        await self._app(scope, receive, safely)

    def _add(self, headers: MutableHeaders, request: Request) -> None:
        headers.setdefault("content-security-policy", page_policy(self._livekit_url(request)))
        microphone = "()" if request.url.path.rstrip("/").endswith("/gallery") else "(self)"
        headers["permissions-policy"] = f"microphone={microphone}, autoplay=(self), camera=(), geolocation=()"
        headers["referrer-policy"] = "no-referrer"
        headers["x-content-type-options"] = "nosniff"
        headers["cross-origin-opener-policy"] = "same-origin"
        headers["cross-origin-resource-policy"] = "same-origin"
        if request.url.path.startswith("/api/"):
            headers["cache-control"] = "no-store"
        elif request.method in ("GET", "HEAD"):
            headers.setdefault("cache-control", "no-cache")
        if request.url.scheme == "https":
            headers["strict-transport-security"] = "max-age=31536000"
