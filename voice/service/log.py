"""The service's log: a line of JSON for each record, on standard error.

No record holds speech, names, roles, PINs, tokens or join codes: a table is known by its game's id.
"""

import json
import logging
import sys
import time

FIELDS = ("game", "code", "deaths", "attempt")
"""What a record may carry besides its message (`extra`)."""
QUIET = ("livekit", "asyncio", "limits", "aiohttp", "uvicorn", "alembic")
"""Libraries of which warnings are enough."""


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **{field: getattr(record, field) for field in FIELDS if hasattr(record, field)},
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line, ensure_ascii=False)


def begin() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
