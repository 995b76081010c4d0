# syntax=docker/dockerfile:1
# Any CPython from 3.11 on; name one with its digest (python:3.13-slim@sha256:…) to build the same image each time.
ARG PYTHON_IMAGE=python:3.13-slim

# --- the wheel, and an environment that holds it ----------------------------------------------------------------------
FROM ${PYTHON_IMAGE} AS build
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /source
COPY requirements.lock ./
RUN python -m venv /opt/footnote \
 && /opt/footnote/bin/pip install --require-hashes --only-binary :all: --requirement requirements.lock
COPY . .
# What runs is the wheel, as it would be installed anywhere else. The tools that made it are not taken along.
RUN /opt/footnote/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/footnote/bin/pip install --no-deps --no-index /wheels/*.whl \
 && /opt/footnote/bin/pip uninstall --yes hatchling editables pip \
 && /opt/footnote/bin/python -m compileall -q /opt/footnote/lib

# --- what is shipped --------------------------------------------------------------------------------------------------
FROM ${PYTHON_IMAGE}
COPY --from=build /opt/footnote /opt/footnote
# Whatever user id the platform chooses belongs to group 0; only /data can be written.
RUN mkdir /data && chown 10001:0 /data && chmod 2770 /data
ENV PATH=/opt/footnote/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FOOTNOTE_DATA=/data \
    FOOTNOTE_HOST=0.0.0.0 \
    FOOTNOTE_PORT=8000 \
    FOOTNOTE_LOG_FORMAT=json
WORKDIR /data
USER 10001:0
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s --retries=3 \
  CMD ["python", "-c", "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ['FOOTNOTE_PORT']}/healthz\", timeout=4)"]
ENTRYPOINT ["footnote"]
CMD ["serve"]
