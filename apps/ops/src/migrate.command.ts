import { Command, Option } from 'nest-commander';
import { migrateQueueSchema } from '#jobs';
import { migrate, missingMigrations } from '#persistence';
import { findDatabaseUrl } from './connection.js';
import { ReportingCommand } from './ops-command.js';
import { print } from './output.js';

const CONNECT_TIMEOUT_MS = 10_000;

@Command({
  name: 'migrate',
  description: "Bring the database's schema up to date. Safe to repeat, and to run twice at once.",
})
export class MigrateCommand extends ReportingCommand {
  override async run(_: string[], { dryRun, ...options }: { dryRun?: boolean; json?: boolean }): Promise<void> {
    const databaseUrl = findDatabaseUrl(process.env);
    if (dryRun === true) {
      const pending = await missingMigrations(databaseUrl, CONNECT_TIMEOUT_MS);
      print({ pending }, options, () =>
        pending.length === 0 ? 'The schema is up to date.' : `Would apply: ${pending.join(', ')}.`,
      );
      return;
    }
    const { applied } = await migrate(databaseUrl);
    const queueSchemaVersion = await migrateQueueSchema(databaseUrl);
    print({ applied, queueSchemaVersion }, options, () =>
      applied.length === 0 ? 'The schema is up to date.' : `Applied: ${applied.join(', ')}.`,
    );
  }

  @Option({ flags: '--dry-run', description: 'Name the migrations that would be applied, and apply none.' })
  dryRun(): boolean {
    return true;
  }
}
