"""What machines ask: alive, ready, and the static files. Not metrics."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse

from app.domain.errors import NotFound
from app.web.dependencies import TheServices

FOR_EVER = "public, max-age=31536000, immutable"
READ = ["GET", "HEAD"]  # probes often ask for the headers alone

router = APIRouter()


@router.api_route("/healthz", methods=READ, name="healthz")
async def healthz() -> Response:
    """200 as long as the process runs."""
    return PlainTextResponse("ok")


@router.api_route("/readyz", methods=READ, name="readyz")
async def readyz(services: TheServices) -> Response:
    """200 only when a question can be answered."""
    readiness = await services.library.readiness()
    if readiness.ready:
        return JSONResponse({"ready": True})
    return JSONResponse({"ready": False, "problem": readiness.problem}, 503)


@router.get("/static/{version}/{path:path}", name="static")
async def static(version: str, path: str, request: Request) -> Response:
    """A file under the version of its content: it never changes, so it may be kept."""
    assets = request.app.state.assets
    file = assets.files.get(path)
    if file is None:
        raise NotFound(path)
    headers = {"Cache-Control": FOR_EVER if version == assets.version else "no-cache", "Vary": "Accept-Encoding"}
    packed = "gzip" in request.headers.get("accept-encoding", "") and len(file.packed) < len(file.content)
    if packed:
        headers["Content-Encoding"] = "gzip"
    return Response(file.packed if packed else file.content, headers=headers, media_type=file.kind)
