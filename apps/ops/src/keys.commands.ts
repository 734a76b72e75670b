import { Command, Option, SubCommand } from 'nest-commander';
import { KeyRing, rotateKeys } from '#persistence';
import { findConnection } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print, table } from './output.js';

@SubCommand({ name: 'generate', description: 'Create an entry for ENCRYPTION_KEYS.' })
export class GenerateKeyCommand extends ReportingCommand {
  override async run(_: string[], { id, ...options }: { id: string; json?: boolean }): Promise<void> {
    const entry = KeyRing.generateEntry(id);
    print({ entry }, options, () => entry);
  }

  @Option({ flags: '--id <keyId>', description: 'Name of the key. Must be new.', required: true })
  id(value: string): string {
    return value;
  }
}

@SubCommand({
  name: 'rotate',
  description: 'Encrypt all secrets with the first of ENCRYPTION_KEYS. The service keeps running.',
})
export class RotateKeysCommand extends ReportingCommand {
  override async run(_: string[], options: { json?: boolean }): Promise<void> {
    const { databaseUrl, encryptionKeys } = findConnection(process.env);
    const report = await rotateKeys({ databaseUrl, keyRing: KeyRing.parse(encryptionKeys) });
    print(report, options, () =>
      [
        `All secrets are encrypted with the key ${report.keyId}. You can remove the other keys from ENCRYPTION_KEYS.`,
        '',
        table(
          ['COLUMN', 'SECRETS', 'REWRITTEN'],
          report.columns.map(({ table, column, visited, rewritten }) => [
            ...[`${table}.${column}`, String(visited), String(rewritten)],
          ]),
        ),
      ].join('\n'),
    );
  }
}

@Command({
  name: 'keys',
  description: 'The keys that encrypt stored secrets.',
  subCommands: [GenerateKeyCommand, RotateKeysCommand],
})
export class KeysCommands extends CommandGroup {}
