import { Command, Option, SubCommand } from 'nest-commander';
import { administer } from './administration.js';
import { CommandGroup, OneCommand, PageCommand, ReportingCommand, type PageOptions } from './ops-command.js';
import { moreText, print, table } from './output.js';

@SubCommand({ name: 'list', description: 'List webhook endpoints, newest first.' })
export class ListEndpointsCommand extends PageCommand {
  override async run(_: string[], { json, application: applicationId, ...query }: PageOptions): Promise<void> {
    const page = await administer(({ deliveries }) => deliveries.listEndpoints({ ...query, applicationId }));
    print(page, { json }, () =>
      [
        table(
          ['ENDPOINT', 'APPLICATION', 'URL', 'STATE', 'PENDING', 'DEAD-LETTERED'],
          page.data.map(({ id, applicationName, url, disabledAt, failingSince, pending, failed }) => [
            ...[id, applicationName, url, disabledAt !== null ? 'disabled' : failingSince !== null ? 'failing' : 'ok'],
            ...[String(pending), String(failed)],
          ]),
        ),
        ...moreText(page),
      ].join('\n'),
    );
  }
}

@SubCommand({ name: 'enable', description: 'Send messages to a disabled endpoint again.' })
export class EnableEndpointCommand extends OneCommand {
  override async run(_: string[], { id, ...options }: { id: string; json?: boolean }): Promise<void> {
    await administer(({ deliveryActions }) => deliveryActions.enable(id));
    print({ endpointId: id, enabled: true }, options, () => `Endpoint ${id} receives messages again.`);
  }
}

@SubCommand({ name: 'recover', description: 'Send dead-lettered messages of an endpoint again.' })
export class RecoverEndpointCommand extends OneCommand {
  override async run(_: string[], options: { id: string; since: string; json?: boolean }): Promise<void> {
    const { id, since } = options;
    const { recovered } = await administer(({ deliveryActions }) => deliveryActions.recover(id, since));
    print({ endpointId: id, recovered }, options, () => `${recovered} messages are sent again.`);
  }

  @Option({ flags: '--since <time>', description: 'Messages from then on (RFC 3339).', required: true })
  since(value: string): string {
    return value;
  }
}

@Command({
  name: 'endpoint',
  description: 'Where webhook messages go.',
  subCommands: [ListEndpointsCommand, EnableEndpointCommand, RecoverEndpointCommand],
})
export class EndpointCommands extends CommandGroup {}

@SubCommand({ name: 'resend', description: 'Send a webhook message again.' })
export class ResendMessageCommand extends ReportingCommand {
  override async run(_: string[], { id, ...options }: { id: string; json?: boolean }): Promise<void> {
    await administer(({ deliveryActions }) => deliveryActions.resend(id));
    print({ messageId: id, resent: true }, options, () => `Message ${id} is sent again.`);
  }

  @Option({ flags: '--id <messageId>', description: 'Its webhook-id, msg_….', required: true })
  id(value: string): string {
    return value;
  }
}

@Command({ name: 'message', description: 'Webhook messages.', subCommands: [ResendMessageCommand] })
export class MessageCommands extends CommandGroup {}
