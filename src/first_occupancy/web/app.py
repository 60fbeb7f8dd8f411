"""The lab's server: the page, and questions to the library as JSON.

It keeps no state of anyone's: a question holds its whole scene. What it remembers is a few tables
of legs (`noise`) and which questions are still waited for (`work`).
"""

import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from threading import Event, Thread
from typing import Annotated, Any

from fastapi import FastAPI, Header, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response, StreamingResponse

from first_occupancy.core import provenance
from first_occupancy.web import assets, escape, noise, presets
from first_occupancy.web.answers import answer_plan
from first_occupancy.web.guard import Guard
from first_occupancy.web.rows import answer_row
from first_occupancy.web.scenes import (
    EscapeQuestion,
    PlanAnswer,
    PlanQuestion,
    Preset,
    Refusal,
    RowAnswer,
    RowQuestion,
    Status,
)
from first_occupancy.web.script import script
from first_occupancy.web.work import AnswerThreads, Step, SupersededError, go_on

PageId = Annotated[str | None, Header(alias="Lab-Page", pattern="^[a-z0-9]{1,32}$")]
"""Which page asks, so that its newer question can stop its older one."""

Responses = dict[int | str, dict[str, Any]]

REFUSED: Responses = {
    400: {"model": Refusal, "description": "Not a request that can be read."},
    403: {"model": Refusal, "description": "A foreign Host or Origin."},
    413: {"model": Refusal, "description": "Too large."},
    422: {"model": Refusal, "description": "Not as described here."},
}
SUPERSEDED = "The same page has asked anew since."
STOPPED: Responses = {409: {"model": Refusal, "description": SUPERSEDED}}


def create_app(*, warm_up: bool = True) -> Guard:
    """Return the server's application; with `warm_up`, programs compile in the background."""
    state: dict[str, bool] = {"ready": not warm_up}
    workers, tables = AnswerThreads(), noise.Tables()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        stop = Event()
        if warm_up:
            # Python waits for it at the end: a thread that ends inside XLA aborts the process.
            Thread(target=_warm_up, args=(state, stop), name="lab-warm-up", daemon=False).start()
        try:
            yield
        finally:
            stop.set()
            workers.close()

    app = FastAPI(
        title="first-occupancy lab",
        version=_version(),
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        responses={403: REFUSED[403]},
    )
    app.add_exception_handler(RequestValidationError, _say_what_is_wrong)
    app.add_exception_handler(SupersededError, _say_superseded)
    _add_page(app, state)
    _add_questions(app, workers, tables)
    return Guard(app)


def _warm_up(state: dict[str, bool], stop: Event) -> None:
    step = partial(go_on, stop)
    with suppress(SupersededError):
        noise.warm_up(step)
        escape.warm_up(step)
        state["ready"] = True


def _add_page(app: FastAPI, state: dict[str, bool]) -> None:
    for name, (content, kind) in assets.load().items():
        path = "/" if name == "index.html" else f"/{name}"
        send = partial(_send, content, kind)
        app.add_api_route(path, send, methods=["GET"], include_in_schema=False)

    @app.get("/api/status")
    async def status() -> Status:
        """Tell whether everything is compiled."""
        return Status(ready=state["ready"], version=_version())

    scenes = presets.presets()

    @app.get("/api/presets")
    async def preset_scenes() -> list[Preset]:
        """Return scenes to begin with."""
        return scenes


async def _send(content: bytes, kind: str) -> Response:
    return Response(content, headers={"content-type": kind})


def _add_questions(app: FastAPI, workers: AnswerThreads, tables: noise.Tables) -> None:
    asked = partial(app.post, responses=REFUSED | STOPPED)

    @asked("/api/plan", response_model=PlanAnswer)
    async def plan(question: PlanQuestion, request: Request, page: PageId = None) -> Response:
        """Plan from every cell to the goals."""
        work = partial(answer_plan, question, tables)
        return _json(
            await workers.answer(work, page=page, kind="plan", is_gone=request.is_disconnected)
        )

    @asked("/api/row", response_model=RowAnswer)
    async def row(question: RowQuestion, request: Request, page: PageId = None) -> Response:
        """Return how soon and how often a policy comes from one cell to every other."""
        work = partial(answer_row, question)
        return _json(
            await workers.answer(work, page=page, kind="row", is_gone=request.is_disconnected)
        )

    @asked("/api/script", response_class=Response, responses=REFUSED | _text("text/x-python"))
    async def as_script(question: PlanQuestion) -> Response:
        """Return a Python script that makes the same plan with the library."""
        return Response(script(question), media_type="text/x-python")

    @asked("/api/escape", response_class=Response, responses=REFUSED | _text(LINES))
    async def escaping(question: EscapeQuestion, request: Request) -> Response:
        """Run exploration and escape twice; one line of JSON for each moment of it."""
        moments = _ahead(workers, escape.story(question), request)
        return StreamingResponse(moments, media_type=LINES)


LINES = "application/x-ndjson"


async def _ahead(
    workers: AnswerThreads, story: Iterator[dict[str, Any]], request: Request
) -> AsyncIterator[bytes]:
    """Yield the story line by line, each computed while the page shows the ones before."""

    def some(step: Step) -> bytes | None:
        moment = next(story, None)
        return None if moment is None else json.dumps(moment).encode() + b"\n"

    try:
        while True:
            line = await workers.answer(
                some, page=None, kind="escape", is_gone=request.is_disconnected
            )
            if line is None:
                return
            yield line
    except SupersededError:
        return


def _json(answer: dict[str, Any]) -> Response:
    # As plain values: a model would check thousands of numbers that we have just made.
    return Response(json.dumps(answer, separators=(",", ":")), media_type="application/json")


def _text(kind: str) -> Responses:
    return {200: {"content": {kind: {"schema": {"type": "string"}}}, "description": "As text."}}


async def _say_what_is_wrong(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    return JSONResponse({"detail": f"{where}: {first['msg']}"}, status_code=422)


async def _say_superseded(request: Request, error: Exception) -> JSONResponse:
    return JSONResponse({"detail": SUPERSEDED}, status_code=409)


def _version() -> str:
    (found,) = provenance.versions("first-occupancy").values()
    return found
