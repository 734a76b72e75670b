import { Command, Option, SubCommand } from 'nest-commander';
import { operate } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print, table } from './output.js';

interface CreateOptions {
  application: string;
  name: string;
  expires: string;
  scopes?: string[];
  json?: boolean;
}

@SubCommand({ name: 'create', description: 'Create an API key. The key is shown only once.' })
export class CreateApiKeyCommand extends ReportingCommand {
  override async run(_: string[], options: CreateOptions): Promise<void> {
    const { application: applicationId, name, expires, scopes } = options;
    const key = await operate(({ apiKeys }) =>
      apiKeys.create({ applicationId, name, expires, ...(scopes === undefined ? {} : { scopes }) }),
    );
    print(key, options, () => `${key.apiKey}\n\nKey ${key.apiKeyId}, ${expiry(key.expiresAt)}. It is not shown again.`);
  }

  @Option({ flags: '--application <applicationId>', description: 'Whose key.', required: true })
  application(value: string): string {
    return value;
  }

  @Option({ flags: '--name <name>', description: 'Display name.', required: true })
  name(value: string): string {
    return value;
  }

  @Option({
    flags: '--expires <when>',
    description: '7, 30, 90, 180 or 365 (days), never, or an ISO 8601 date or instant.',
    defaultValue: '365',
  })
  expires(value: string): string {
    return value;
  }

  @Option({ flags: '--scopes <list>', description: 'Of read, write, credentials:read (default: read,write).' })
  scopes(value: string): string[] {
    return value.split(',').map((scope) => scope.trim());
  }
}

@SubCommand({ name: 'list', description: "List an application's API keys." })
export class ListApiKeysCommand extends ReportingCommand {
  override async run(_: string[], options: { application: string; json?: boolean }): Promise<void> {
    const data = await operate(({ apiKeys }) => apiKeys.list(options.application));
    print({ data }, options, () =>
      table(
        ['KEY', 'NAME', 'SCOPES', 'STATE', 'LAST USED'],
        data.map(({ apiKeyId, name, scopes, expiresAt, revokedAt, lastUsedAt }) => [
          ...[apiKeyId, name, scopes.join(',')],
          ...[revokedAt === null ? expiry(expiresAt) : `revoked ${revokedAt}`, lastUsedAt ?? 'never'],
        ]),
      ),
    );
  }

  @Option({ flags: '--application <applicationId>', description: 'Whose keys.', required: true })
  application(value: string): string {
    return value;
  }
}

@SubCommand({ name: 'revoke', description: 'Revoke an API key immediately. This cannot be undone.' })
export class RevokeApiKeyCommand extends ReportingCommand {
  override async run(_: string[], options: { id: string; json?: boolean }): Promise<void> {
    await operate(({ apiKeys }) => apiKeys.revoke(options.id));
    print({ apiKeyId: options.id, revoked: true }, options, () => `Key ${options.id} revoked.`);
  }

  @Option({ flags: '--id <apiKeyId>', description: 'Which one.', required: true })
  id(value: string): string {
    return value;
  }
}

@Command({
  name: 'api-key',
  description: 'API keys of applications.',
  subCommands: [CreateApiKeyCommand, ListApiKeysCommand, RevokeApiKeyCommand],
})
export class ApiKeyCommands extends CommandGroup {}

function expiry(expiresAt: string | null): string {
  return expiresAt === null ? 'never expires' : `expires ${expiresAt}`;
}
