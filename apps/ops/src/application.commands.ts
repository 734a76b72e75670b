import { Command, Option, SubCommand } from 'nest-commander';
import { PROVIDERS } from '#providers';
import { operate } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print, table, UsageError } from './output.js';

/** Providers without change notifications. */
const POLLED_TYPES = new Intl.ListFormat('en-GB').format(
  PROVIDERS.filter(({ notifications }) => notifications === undefined).map(({ type }) => type),
);

interface CreateOptions {
  name: string;
  rateLimit?: number;
  environment?: string;
  json?: boolean;
}

@SubCommand({ name: 'create', description: 'Create an application.' })
export class CreateApplicationCommand extends ReportingCommand {
  override async run(_: string[], options: CreateOptions): Promise<void> {
    const application = await operate(({ applications }) =>
      applications.create({
        name: options.name,
        rateLimitRps: options.rateLimit ?? null,
        ...(options.environment !== undefined && { environment: options.environment }),
      }),
    );
    print(application, options, () => `Application ${application.applicationId} (${application.name}) created.`);
  }

  @Option({ flags: '--name <name>', description: 'Display name.', required: true })
  name(value: string): string {
    return value;
  }

  @Option({ flags: '--rate-limit <rps>', description: 'Requests per second and key (default: RATE_LIMIT_RPS).' })
  rateLimit(value: string): number {
    if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError('--rate-limit must be a whole number of at least 1');
    return Number(value);
  }

  @Option({
    flags: '--environment <environment>',
    description: 'development (default), or production: users are not sent back to http or localhost.',
  })
  environment(value: string): string {
    return value;
  }
}

interface SetOptions {
  id: string;
  enrichedWebhooks?: boolean;
  polledWebhooks?: boolean;
  signedLinks?: boolean;
  accentColor?: string;
  json?: boolean;
}

@SubCommand({ name: 'set', description: 'Change the options of an application.' })
export class SetApplicationCommand extends ReportingCommand {
  override async run(_: string[], { id, json, accentColor, ...switches }: SetOptions): Promise<void> {
    const changes = {
      ...switches,
      ...(accentColor !== undefined && { accentColor: accentColor === 'default' ? null : accentColor }),
    };
    if (Object.keys(changes).length === 0) {
      throw new UsageError('--enriched-webhooks, --polled-webhooks, --signed-links or --accent-color must be given');
    }
    const application = await operate(({ applications }) => applications.change(id, changes));
    print(application, { json }, () => `Application ${id}: ${webhooksOf(application)}; ${linksOf(application)} links.`);
  }

  @Option({ flags: '--id <applicationId>', description: 'Which one.', required: true })
  id(value: string): string {
    return value;
  }

  @Option({ flags: '--enriched-webhooks <on|off>', description: 'Webhooks name the account and the calendar.' })
  enrichedWebhooks(value: string): boolean {
    return onOrOff('--enriched-webhooks', value);
  }

  @Option({
    flags: '--polled-webhooks <on|off>',
    description: `Subscriptions to ${POLLED_TYPES} calendars, which are polled.`,
  })
  polledWebhooks(value: string): boolean {
    return onOrOff('--polled-webhooks', value);
  }

  @Option({
    flags: '--signed-links <on|off>',
    description: 'externalId is only accepted in links that the application created with its key.',
  })
  signedLinks(value: string): boolean {
    return onOrOff('--signed-links', value);
  }

  @Option({
    flags: '--accent-color <color>',
    description: 'Color of the page where users connect accounts, such as #0b57d0, or default.',
  })
  accentColor(value: string): string {
    return value;
  }
}

@SubCommand({ name: 'list', description: 'List the applications.' })
export class ListApplicationsCommand extends ReportingCommand {
  override async run(_: string[], options: { json?: boolean }): Promise<void> {
    const data = await operate(({ applications }) => applications.list());
    print({ data }, options, () =>
      table(
        ['APPLICATION', 'NAME', 'ENVIRONMENT', 'RATE LIMIT', 'WEBHOOKS', 'LINKS', 'CREATED'],
        data.map(({ applicationId, name, environment, rateLimitRps, createdAt, ...options }) => [
          ...[applicationId, name, environment],
          ...[
            rateLimitRps === null ? 'default' : `${rateLimitRps}/s`,
            webhooksOf(options),
            linksOf(options),
            createdAt,
          ],
        ]),
      ),
    );
  }
}

@SubCommand({ name: 'delete', description: 'Delete an application and everything it owns.' })
export class DeleteApplicationCommand extends ReportingCommand {
  override async run(_: string[], options: { id: string; json?: boolean }): Promise<void> {
    await operate(({ applications }) => applications.delete(options.id));
    const result = { applicationId: options.id, deleted: true };
    print(
      result,
      options,
      () => `Application ${options.id} deleted. The worker stops its channels and revokes its grants.`,
    );
  }

  @Option({ flags: '--id <applicationId>', description: 'Which one.', required: true })
  id(value: string): string {
    return value;
  }
}

@Command({
  name: 'application',
  description: 'The applications that use this installation.',
  subCommands: [CreateApplicationCommand, SetApplicationCommand, ListApplicationsCommand, DeleteApplicationCommand],
})
export class ApplicationCommands extends CommandGroup {}

function onOrOff(option: string, value: string): boolean {
  if (value !== 'on' && value !== 'off') throw new UsageError(`${option} must be on or off`);
  return value === 'on';
}

function linksOf({ signedLinks }: { signedLinks: boolean }): string {
  return signedLinks ? 'signed' : 'open';
}

function webhooksOf({
  enrichedWebhooks,
  polledWebhooks,
}: {
  enrichedWebhooks: boolean;
  polledWebhooks: boolean;
}): string {
  return `${enrichedWebhooks ? 'enriched' : 'plain'}, ${polledWebhooks ? 'polled' : 'pushed'}`;
}
