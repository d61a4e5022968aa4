"""Run by Alembic on the connection that `voice.database` has opened, within its transaction."""

from alembic import context

from voice.tables import VERSION_TABLE

context.configure(connection=context.config.attributes["connection"], version_table=VERSION_TABLE)
context.run_migrations()
