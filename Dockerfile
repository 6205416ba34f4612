# Pinned by version here, and by digest with `python manage.py lock_images`.
ARG BASE=python:3.11.13-slim-bookworm
FROM ${BASE}

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=/app/platform:/app \
    OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PODIUM_DATA=/data
# pg_dump and pg_restore, for `manage.py backup` and `restore`: of the major version of the database in docker-compose.yml.
RUN apt-get update && apt-get install -y --no-install-recommends postgresql-client-15 && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY requirements.txt ./
RUN pip install --no-cache-dir --require-hashes --requirement requirements.txt
COPY manage.py ./
COPY platform ./platform
COPY evaluation ./evaluation
COPY confinement ./confinement
COPY templates ./templates
COPY static ./static
COPY examples ./examples
COPY docs ./docs
COPY docker-compose.yml Dockerfile ./
# No process may write here, so each would compile all of it anew at its start.
RUN python -m compileall -q --invalidation-mode unchecked-hash manage.py platform evaluation confinement
# Neither web nor workers need to be root, and hostile files are read by workers.
RUN useradd --system --uid 10001 --create-home podium && mkdir /data && chown podium:podium /data
USER podium
VOLUME ["/data"]
EXPOSE 8000
CMD ["gunicorn", "config.wsgi", "--bind", "0.0.0.0:8000", "--workers", "2", "--threads", "8", "--timeout", "120"]
