import { Command, Option, SubCommand } from 'nest-commander';
import type { AccountStatus } from '#domain/accounts';
import { administer } from './administration.js';
import { CommandGroup, OneCommand, PageCommand, type PageOptions } from './ops-command.js';
import { moreText, print, table, UsageError } from './output.js';

/** Time for a check, milliseconds: that of a request through the API. */
const CHECK_TIMEOUT_MS = 25_000;

interface ListOptions extends PageOptions {
  status?: AccountStatus;
  search?: string;
}

@SubCommand({ name: 'list', description: "List users' accounts, newest first." })
export class ListAccountsCommand extends PageCommand {
  override async run(_: string[], { json, application: applicationId, ...query }: ListOptions): Promise<void> {
    const page = await administer(({ accounts }) => accounts.list({ ...query, applicationId }));
    print(page, { json }, () =>
      [
        table(
          ['ACCOUNT', 'APPLICATION', 'PROVIDER', 'EMAIL', 'STATUS', 'SINCE'],
          page.data.map(({ id, applicationName, providerType, email, status, statusSince }) => [
            ...[id, applicationName, providerType, email, status, statusSince.toISOString()],
          ]),
        ),
        ...moreText(page),
      ].join('\n'),
    );
  }

  @Option({ flags: '--status <status>', description: 'active or expired.' })
  status(value: string): AccountStatus {
    const status = (['ACTIVE', 'EXPIRED'] as const).find((known) => known === value.toUpperCase());
    if (status === undefined) throw new UsageError('--status must be active or expired');
    return status;
  }

  @Option({ flags: '--search <text>', description: 'Part of an email, or a whole account id or externalId.' })
  search(value: string): string {
    return value;
  }
}

@SubCommand({ name: 'show', description: 'Show an account: its status, why, and what happened to it.' })
export class ShowAccountCommand extends OneCommand {
  override async run(_: string[], { id, ...options }: { id: string; json?: boolean }): Promise<void> {
    const account = await administer(({ accounts }) => accounts.get(id));
    print(account, options, () =>
      [
        ...Object.entries({
          account: account.id,
          application: `${account.applicationName} (${account.applicationId})`,
          provider: account.providerType,
          email: account.email,
          externalId: account.externalId ?? 'none',
          status: `${account.status} since ${account.statusSince.toISOString()}`,
          reason: account.lastFailure?.explanation ?? 'none',
          checked: account.checkedAt?.toISOString() ?? 'never',
          subscriptions: String(account.subscriptions),
        }).map(([name, value]) => `${name.padEnd(14)}${value}`),
        '',
        table(
          ['AT', 'STATUS', 'REASON'],
          account.history.map(({ at, status, reason }) => [at.toISOString(), status, reason ?? '']),
        ),
      ].join('\n'),
    );
  }
}

@SubCommand({
  name: 'check',
  description: 'Ask the provider for the calendars of an account. Refused credentials make it EXPIRED, as anywhere.',
})
export class CheckAccountCommand extends OneCommand {
  override async run(_: string[], { id, ...options }: { id: string; json?: boolean }): Promise<void> {
    const signal = AbortSignal.timeout(CHECK_TIMEOUT_MS);
    const data = await administer(({ accounts }) => accounts.calendars(id, signal));
    print({ accountId: id, calendars: data }, options, () =>
      [
        'The provider accepts the credentials.',
        '',
        table(
          ['CALENDAR', 'TITLE', 'CHANGES'],
          data.map(({ id: calendarId, title, changeDetection }) => [calendarId, title, changeDetection]),
        ),
      ].join('\n'),
    );
  }
}

@Command({
  name: 'account',
  description: "Users' accounts at their providers.",
  subCommands: [ListAccountsCommand, ShowAccountCommand, CheckAccountCommand],
})
export class AccountCommands extends CommandGroup {}
