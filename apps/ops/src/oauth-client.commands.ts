import { text } from 'node:stream/consumers';
import { Command, Option, SubCommand } from 'nest-commander';
import type { ProviderType } from '#domain/accounts';
import { OAUTH_PROVIDERS } from '#providers';
import { operate } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print, table, UsageError } from './output.js';

const SLUGS = OAUTH_PROVIDERS.map(({ slug }) => slug);
const WITH_TENANT = OAUTH_PROVIDERS.filter(({ oauthClient }) => oauthClient.tenant !== undefined);
const TENANTS_OF = WITH_TENANT.map(({ slug }) => slug).join(' and ');

interface ClientOfApplication {
  application: string;
  provider: ProviderType;
  json?: boolean;
}

interface SetOptions extends ClientOfApplication {
  clientId: string;
  clientSecret: string;
  scopes?: string[];
  tenant?: string;
  expiresAt?: string;
}

abstract class ApplicationClientCommand extends ReportingCommand {
  @Option({ flags: '--application <applicationId>', description: 'Whose client.', required: true })
  application(value: string): string {
    return value;
  }
}

abstract class OneClientCommand extends ApplicationClientCommand {
  @Option({ flags: '--provider <provider>', description: `${SLUGS.join(' or ')}.`, required: true })
  provider(value: string): ProviderType {
    const provider = OAUTH_PROVIDERS.find(({ slug }) => slug === value.toLowerCase());
    if (provider === undefined) throw new UsageError(`--provider must be one of ${SLUGS.join(', ')}`);
    return provider.type;
  }
}

@SubCommand({
  name: 'set',
  description: 'Set the OAuth client of an application. Replaces the existing one.',
})
export class SetOAuthClientCommand extends OneClientCommand {
  override async run(_: string[], options: SetOptions): Promise<void> {
    const { application: applicationId, provider: providerType, clientId, scopes, tenant, expiresAt } = options;
    if (tenant !== undefined && !WITH_TENANT.some(({ type }) => type === providerType)) {
      throw new UsageError(`--tenant is for ${TENANTS_OF} alone`);
    }
    const clientSecret = options.clientSecret === '-' ? await readSecret() : options.clientSecret;
    const client = await operate(({ oauthClients }) =>
      oauthClients.set({
        ...{ applicationId, providerType, clientId, clientSecret },
        ...(scopes === undefined ? {} : { scopes }),
        ...(tenant === undefined ? {} : { tenant }),
        ...(expiresAt === undefined ? {} : { expiresAt }),
      }),
    );
    print(client, options, () => `Application ${applicationId} connects ${providerType} accounts as ${clientId}.`);
  }

  @Option({ flags: '--client-id <id>', description: 'As the provider issued it.', required: true })
  clientId(value: string): string {
    return value;
  }

  @Option({
    flags: '--client-secret <secret>',
    description: 'Client secret from the provider; - reads it from standard input.',
    required: true,
  })
  clientSecret(value: string): string {
    return value;
  }

  @Option({
    flags: '--scopes <list>',
    description: 'Scopes, separated by spaces (default: all that the service needs).',
  })
  scopes(value: string): string[] {
    return value.split(' ').filter((scope) => scope !== '');
  }

  @Option({
    flags: '--tenant <tenant>',
    description: `${TENANTS_OF}: the directory whose users may sign in (default: any).`,
  })
  tenant(value: string): string {
    return value;
  }

  @Option({
    flags: '--expires-at <time>',
    description: 'When the secret ends: an ISO 8601 date or instant. Alerts warn 30, 14 and 3 days before.',
  })
  expiresAt(value: string): string {
    return value;
  }
}

@SubCommand({ name: 'list', description: "List an application's OAuth clients, without their secrets." })
export class ListOAuthClientsCommand extends ApplicationClientCommand {
  override async run(_: string[], options: { application: string; json?: boolean }): Promise<void> {
    const data = await operate(({ oauthClients }) => oauthClients.list(options.application));
    print({ data }, options, () =>
      table(
        ['PROVIDER', 'CLIENT', 'SCOPES', 'TENANT', 'SECRET ENDS'],
        data.map(({ providerType, clientId, scopes, tenant, expiresAt }) => [
          ...[providerType, clientId],
          ...[scopes === null ? 'default' : scopes.join(' '), tenant ?? 'any', expiresAt ?? 'unknown'],
        ]),
      ),
    );
  }
}

@SubCommand({ name: 'remove', description: "Remove an application's OAuth client. Its accounts stay, unrefreshed." })
export class RemoveOAuthClientCommand extends OneClientCommand {
  override async run(_: string[], options: ClientOfApplication): Promise<void> {
    const { application: applicationId, provider: providerType } = options;
    await operate(({ oauthClients }) => oauthClients.remove(applicationId, providerType));
    print({ applicationId, providerType, removed: true }, options, () => `${providerType} client deleted.`);
  }
}

@SubCommand({
  name: 'reset-breaker',
  aliases: ['release'],
  description: "Believe a client's refused grants again, after too many at once were held back.",
})
export class ResetOAuthClientBreakerCommand extends OneClientCommand {
  override async run(_: string[], options: ClientOfApplication): Promise<void> {
    const result = await operate(({ oauthClients }) => oauthClients.release(options.application, options.provider));
    print(result, options, () =>
      result.released
        ? `Mass-expiry breaker of ${result.clientId} reset.`
        : `The mass-expiry breaker of ${result.clientId} was not tripped.`,
    );
  }
}

@Command({
  name: 'oauth-client',
  description: 'The OAuth clients with which applications connect accounts.',
  subCommands: [
    ...[SetOAuthClientCommand, ListOAuthClientsCommand, RemoveOAuthClientCommand],
    ResetOAuthClientBreakerCommand,
  ],
})
export class OAuthClientCommands extends CommandGroup {}

/** Drops the line break that a pipe adds. */
async function readSecret(): Promise<string> {
  return (await text(process.stdin)).replace(/\r?\n$/, '');
}
