import { Command } from 'nest-commander';
import { migrateQueueSchema } from '#jobs';
import { migrate } from '#persistence';
import { findDatabaseUrl } from './connection.js';
import { ReportingCommand } from './ops-command.js';
import { print } from './output.js';

@Command({
  name: 'migrate',
  description: "Bring the database's schema up to date. Safe to repeat, and to run twice at once.",
})
export class MigrateCommand extends ReportingCommand {
  override async run(_: string[], options: { json?: boolean }): Promise<void> {
    const databaseUrl = findDatabaseUrl(process.env);
    const { applied } = await migrate(databaseUrl);
    const queueSchemaVersion = await migrateQueueSchema(databaseUrl);
    print({ applied, queueSchemaVersion }, options, () =>
      applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`,
    );
  }
}
