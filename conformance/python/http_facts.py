"""Facts about SGLang's HTTP metrics: `http_facts.py <unpacked wheel>` prints JSON, or null for a release without them.

The release's own middleware serves a real ASGI application; the counters are
read at the response headers, during the stream and at its end.
"""

import asyncio
import json
import sys
from typing import Dict, Tuple

import exposition
import stand_ins
from sources import Release, borrow

DEFINITIONS = (
    "RefCountedGauge",
    "add_prometheus_track_response_middleware",
    "_get_fastapi_request_path",
)
RESPONSES = "sglang:http_responses_total"
ACTIVE = "sglang:http_requests_active"
STREAM = {"endpoint": "/v1/chat/completions"}


def add_middleware(release, app):
    """Adds the release's HTTP metrics to the application; False when it has none."""
    module = release.first("observability/http_request_metrics.py")
    if module:
        import importlib

        metrics = importlib.import_module(release.module_name(module))
        metrics.init_http_request_metrics()
        metrics.add_http_request_metrics_middleware(app)
        return module
    path = release.first("utils/common.py")
    found = borrow(path, *DEFINITIONS, given={"Dict": Dict, "Tuple": Tuple}) if path else {}
    if "add_prometheus_track_response_middleware" not in found:
        return None
    found["add_prometheus_track_response_middleware"](app)
    return path


def make_app():
    from fastapi import FastAPI
    from starlette.responses import PlainTextResponse, StreamingResponse

    app = FastAPI()

    @app.get("/health")
    async def health():
        return PlainTextResponse("")

    @app.get("/v1/models/{name}")
    async def model(name: str):
        return PlainTextResponse(name)

    @app.post("/v1/chat/completions")
    async def chat():
        async def chunks():
            for _ in range(20):
                yield b"token"
                await asyncio.sleep(0.005)

        return StreamingResponse(chunks())

    return app


async def request(app, method, path, on_message, leaves_after=None):
    """Sends one request; with `leaves_after` the client disconnects after that many messages."""
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [],
        "client": ("client", 1),
        "server": ("server", 80),
    }
    sent = False
    messages = 0
    left = asyncio.Event()

    async def send(message):
        nonlocal messages
        messages += 1
        if messages == leaves_after:
            left.set()
        await on_message(message)

    async def receive():
        nonlocal sent
        if sent:
            await left.wait()
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": b"", "more_body": False}

    await app(scope, receive, send)


def reading():
    families = exposition.scrape()
    return {
        "responses": exposition.sample_value(families, RESPONSES, STREAM),
        "active": exposition.sample_value(families, ACTIVE, STREAM),
    }


async def exercise(app):
    readings = []

    async def watch(message):
        readings.append((message["type"], reading()))

    async def ignore(message):
        pass

    await request(app, "POST", "/v1/chat/completions", watch)
    readings.append(("end", reading()))
    before = reading()
    await request(app, "POST", "/v1/chat/completions", ignore, leaves_after=2)
    after = reading()
    left = {key: after[key] - before[key] for key in before}
    await request(app, "GET", "/health", ignore)
    await request(app, "GET", "/v1/models/some", ignore)
    await request(app, "GET", "/no/such/path", ignore)
    return readings, left


def first_change(readings, key, value):
    for moment, at in readings:
        if at[key] == value:
            return {
                "http.response.start": "response headers",
                "http.response.body": "stream",
                "end": "end of stream",
            }[moment]
    return "never"


def main(root):
    exposition.start_multiprocess()
    stand_ins.install(root)
    release = Release(root)
    app = make_app()
    path = add_middleware(release, app)
    if path is None:
        print("null")
        return
    readings, left = asyncio.run(exercise(app))
    families = exposition.scrape()
    print(
        json.dumps(
            {
                "metrics": exposition.families_to_facts(families),
                "module": release.relative(path),
                "endpointValues": exposition.label_values(families, "endpoint"),
                "responseCountedAt": first_change(readings, "responses", 1.0),
                "responsesWhenClientLeft": left["responses"],
                "activeWhenClientLeft": left["active"],
                "activeLeavesAt": (
                    first_change(readings, "active", 0.0)
                    if any(family.name == ACTIVE for family in families)
                    else None
                ),
            }
        )
    )


if __name__ == "__main__":
    main(sys.argv[1])
