"""The HTTP of the service: a page, and the few calls by which ten people come to a table."""

import asyncio
import contextlib
import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from moderator.faults import wanted
from moderator.model import Seat
from voice import document, stored
from voice.admission import turned_away
from voice.earcons import Earcon
from voice.livekit_ticket import booth_token, gallery_token, identity_of
from voice.ports import Lang
from voice.service.denied import Denied
from voice.service.games import Keeper
from voice.service.guard import REVIEW_POLICY, Limits, SafeHeaders, origin, spoken
from voice.service.media import Media
from voice.service.metrics import Measured, Metrics
from voice.service.pins import Pin, new_pin, seal
from voice.service.sounds import wav
from voice.service.tables import Options, ServedTable, State, Tables

CLIENT = Path(__file__).parent.parent / "client" / "dist"
"""The built web client: `index.html` and `assets/`."""
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Voice moderator</title>
<h1>The web client is not built</h1><p>The service runs, but this page is missing. Build it with
<code>cd voice/client &amp;&amp; npm ci &amp;&amp; npm run build</code>, then start the service again.</p></html>
"""
HOST = re.compile(r"[\w.:-]+")
BODY_BYTES = 4096
BODY_S = 10.0
MEDIA_TYPES = {
    "md": "text/markdown",
    "json": "application/json",
    "vtt": "text/vtt",
    "srt": "application/x-subrip",
    "mgn": "text/plain",
    "html": "text/html",
}

Body = TypeVar("Body", bound=BaseModel)


LONGEST_WRITTEN = 200
"""Of a name, before it is trimmed."""


class Joining(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    consent: bool = False
    name: Annotated[str, Field(max_length=LONGEST_WRITTEN)] | None = None
    """What the player wants to be called; none: his number alone."""


class Claim(BaseModel):
    """Who says that this seat is his."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seat: Seat
    pin: Pin


@dataclass(slots=True)
class Service:
    """What the calls work on."""

    tables: Tables
    games: Keeper
    media: Media
    limits: Limits
    metrics: Metrics = field(default_factory=Metrics)

    # --- tables -----------------------------------------------------------------------------------

    async def open_table(self, request: Request) -> Response:
        """Who finds all tables taken has opened none, and may ask again."""
        options = await body(request, Options)
        if self.tables.full:
            raise Denied("tables_full", options.lang)
        await self.limits.spend("open", origin(request), options.lang)
        table = self.tables.open(options)
        return JSONResponse({"code": table.code}, 201)

    async def show_table(self, request: Request) -> Response:
        return JSONResponse((await self._table(request)).facts())

    async def take_seat(self, request: Request) -> Response:
        """The tenth seat starts the game."""
        table = await self._table(request)
        lang = table.options.lang
        await self.limits.spend("join", origin(request), lang)
        joining = await body(request, Joining, lang)
        if table.options.recording and not joining.consent:
            raise Denied("consent_needed", lang)
        await self._not_barred(joining.name, lang)
        pin = new_pin()
        agreed = table.options.recording and joining.consent
        seat = table.take(await asyncio.to_thread(seal, pin), joining.name, consent=agreed)
        self.games.begin(table)
        return JSONResponse({"seat": seat, "pin": pin}, 201)

    async def ticket(self, request: Request) -> Response:
        table, claim = await self._claimed(request)
        if table.state in (State.OVER, State.LOST):
            raise Denied(table.state, table.options.lang)
        booth = table.booth(claim.seat)
        if booth is None:
            return JSONResponse({"state": table.state, "missing": table.missing}, 202)
        token = booth_token(self.media.server, booth, identity_of(claim.seat))
        return JSONResponse({"url": self.livekit_url(request), "token": token})

    async def gallery(self, request: Request) -> Response:
        """A spectator's ticket. No seat, no PIN: whoever has the code may listen where the table wants it."""
        table = await self._table(request)
        lang = table.options.lang
        await self.limits.spend("gallery", origin(request), lang)
        if table.options.gallery_delay_s is None:
            raise Denied("no_gallery", lang)
        room = table.gallery()
        if room is None and table.state in (State.OVER, State.LOST):
            raise Denied(table.state, lang)
        if room is None:
            return JSONResponse({"state": table.state, "missing": table.missing}, 202)
        token = gallery_token(self.media.server, room)
        return JSONResponse({"url": self.livekit_url(request), "token": token})

    async def leave(self, request: Request) -> Response:
        table, claim = await self._claimed(request)
        table.leave(claim.seat)
        return Response(status_code=204)

    async def review(self, request: Request) -> Response:
        table = await self._table(request)
        form, lang = request.query_params.get("format", "md"), table.options.lang
        if table.state is not State.OVER:
            raise Denied("not_over", lang)
        if form not in document.FORMATS:
            raise Denied("bad_request", lang, f"format: {', '.join(document.FORMATS)}")
        try:
            text = await asyncio.to_thread(lambda: document.render(stored.find(table.game, table.store), form, lang))
        except document.NoTranscript:
            raise Denied("no_transcript", lang) from None
        return Response(text, media_type=MEDIA_TYPES[form], headers={"content-security-policy": REVIEW_POLICY})

    # --- who asks ---------------------------------------------------------------------------------

    async def _table(self, request: Request) -> ServedTable:
        """Codes cannot be tried out: after some that no table has, an address learns nothing for a while."""
        who, lang = origin(request), spoken(request)
        await self.limits.check("unknown_code", who, lang=lang)
        table = self.tables.find(request.path_params["code"])
        if table is None:
            await self.limits.spend("unknown_code", who, lang)
            raise Denied("unknown", lang)
        return table

    async def _not_barred(self, name: str | None, lang: Lang) -> None:
        """By the bars that the organiser keeps in the store beside the games (`moderator bars`)."""
        if name is None:
            return
        told = await asyncio.to_thread(turned_away, self.tables.store, name, lang, datetime.now(UTC))
        if told is not None:
            raise Denied("barred", lang, told)

    async def _claimed(self, request: Request) -> tuple[ServedTable, Claim]:
        """The table, and the seat that its PIN has proved."""
        table, who = await self._table(request), origin(request)
        lang = table.options.lang
        await self.limits.spend("ticket", who, lang)
        claim = await body(request, Claim, lang)
        seat = f"{table.game} {claim.seat}"
        async with table.proving:
            await self.limits.check("wrong_pin", who, "locked", lang)
            if (claim.seat, who) not in table.known:
                await self.limits.check("wrong_pin", seat, "locked", lang)
            if not await asyncio.to_thread(table.fits, claim.seat, claim.pin):
                for counted in (who, seat):
                    with contextlib.suppress(Denied):
                        await self.limits.spend("wrong_pin", counted)
                raise Denied("wrong_pin", lang)
            table.known.add((claim.seat, who))
        return table, claim

    def livekit_url(self, request: Request) -> str:
        """A host that is no name or address goes into no header and no answer."""
        host = request.url.hostname or ""
        return self.media.url_for(request.url.scheme, host if HOST.fullmatch(host) else "localhost")

    # --- the service itself -----------------------------------------------------------------------

    async def page(self, _: Request) -> Response:
        page = CLIENT / "index.html"
        return FileResponse(page) if page.is_file() else HTMLResponse(NOT_BUILT, 503)

    async def healthz(self, _: Request) -> Response:
        """200: a table can be opened now."""
        media, room = await self.media.answers(), not self.tables.full
        return JSONResponse({"media": media, "room": room}, 200 if media and room else 503)

    async def readyz(self, _: Request) -> Response:
        """200: who sits at a table is served, even when no other table can be opened."""
        media = await self.media.answers()
        return JSONResponse({"media": media}, 200 if media else 503)

    async def measures(self, _: Request) -> Response:
        return Response(self.metrics.exposition(self.tables), media_type="text/plain; version=0.0.4")


def make_app(service: Service) -> Starlette:
    api = "/api/tables"
    routes: list[BaseRoute] = [
        Route("/", service.page),
        Route("/t/{code}", service.page),
        Route("/t/{code}/gallery", service.page),
        *([Mount("/assets", StaticFiles(directory=CLIENT / "assets"))] if (CLIENT / "assets").is_dir() else []),
        Route(api, service.open_table, methods=["POST"]),
        Route(api + "/{code}", service.show_table),
        Route(api + "/{code}/seats", service.take_seat, methods=["POST"]),
        Route(api + "/{code}/ticket", service.ticket, methods=["POST"]),
        Route(api + "/{code}/gallery", service.gallery, methods=["POST"]),
        Route(api + "/{code}/leave", service.leave, methods=["POST"]),
        Route(api + "/{code}/review", service.review),
        Route("/api/sounds/{sound}.wav", sound_file),
        Route("/healthz", service.healthz),
        Route("/readyz", service.readyz),
        Route("/metrics", service.measures),
    ]
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(Measured, metrics=service.metrics),
            Middleware(SafeHeaders, livekit_url=service.livekit_url),
        ],
        exception_handlers={Denied: denied, HTTPException: not_served, Exception: failed},
    )


async def sound_file(request: Request) -> Response:
    sound = request.path_params["sound"]
    if sound not in set(Earcon):
        raise Denied("no_page")
    return Response(wav(Earcon(sound)), media_type="audio/wav", headers={"cache-control": "max-age=86400"})


async def body(request: Request, model: type[Body], lang: Lang = "en") -> Body:
    """Raises `Denied` naming the first field that is wrong."""
    try:
        async with asyncio.timeout(BODY_S):
            return model.model_validate_json(await bounded(request))
    except TimeoutError:
        raise Denied("bad_request", lang) from None
    except ValidationError as error:
        raise Denied("bad_request", lang, wanted(error.errors()[0])) from None


async def bounded(request: Request) -> bytes:
    whole = bytearray()
    async for chunk in request.stream():
        whole += chunk
        if len(whole) > BODY_BYTES:
            raise Denied("too_large")
    return bytes(whole)


async def denied(_: Request, error: Exception) -> Response:
    assert isinstance(error, Denied)
    headers = {} if error.retry_s is None else {"retry-after": str(error.retry_s)}
    return JSONResponse(error.body(), error.status, headers)


async def not_served(_: Request, error: Exception) -> Response:
    """What Starlette itself refuses: a path that is not ours, a method."""
    assert isinstance(error, HTTPException)
    answer = Denied("no_page" if error.status_code == 404 else "bad_request")
    return JSONResponse(answer.body(), error.status_code, error.headers)


async def failed(_: Request, __: Exception) -> Response:
    return JSONResponse(Denied("failed").body(), 500)
