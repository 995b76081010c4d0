"""What Alembic runs for each upgrade: on the connection it is handed. Not a way to connect by itself."""

from alembic import context

from app.storage.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
