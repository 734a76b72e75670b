import { Command, Option, SubCommand } from 'nest-commander';
import { operate } from './connection.js';
import { ReportingCommand, CommandGroup } from './ops-command.js';
import { print } from './output.js';

interface OneUrl {
  application: string;
  url: string;
  json?: boolean;
}

abstract class RedirectUrlCommand extends ReportingCommand {
  @Option({ flags: '--application <applicationId>', description: 'Application of the redirect URLs.', required: true })
  application(value: string): string {
    return value;
  }
}

abstract class OneRedirectUrlCommand extends RedirectUrlCommand {
  @Option({ flags: '--url <url>', description: 'Exactly as the application sends it.', required: true })
  url(value: string): string {
    return value;
  }
}

@SubCommand({
  name: 'add',
  description: 'Allow a redirect URL. The first one of an application is its default.',
})
export class AddRedirectUrlCommand extends OneRedirectUrlCommand {
  override async run(_: string[], options: OneUrl): Promise<void> {
    const added = await operate(({ redirectUrls }) => redirectUrls.add(options.application, options.url));
    print(added, options, () => `Redirect URL ${added.url} allowed.`);
  }
}

@SubCommand({ name: 'list', description: "List an application's redirect URLs, the default first." })
export class ListRedirectUrlsCommand extends RedirectUrlCommand {
  override async run(_: string[], options: { application: string; json?: boolean }): Promise<void> {
    const data = await operate(({ redirectUrls }) => redirectUrls.list(options.application));
    print({ data }, options, () => data.map(({ url }) => url).join('\n'));
  }
}

@SubCommand({ name: 'remove', description: 'Remove a redirect URL.' })
export class RemoveRedirectUrlCommand extends OneRedirectUrlCommand {
  override async run(_: string[], options: OneUrl): Promise<void> {
    const { application: applicationId, url } = options;
    await operate(({ redirectUrls }) => redirectUrls.remove(applicationId, url));
    print({ applicationId, url, removed: true }, options, () => `Redirect URL ${url} removed.`);
  }
}

@Command({
  name: 'redirect-url',
  description: 'URLs to which users return after they sign in.',
  subCommands: [AddRedirectUrlCommand, ListRedirectUrlsCommand, RemoveRedirectUrlCommand],
})
export class RedirectUrlCommands extends CommandGroup {}
