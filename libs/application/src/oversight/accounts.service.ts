import { Injectable } from '@nestjs/common';
import {
  AccountOversight,
  AuditLog,
  DomainError,
  type Calendar,
  type CalendarProvider,
  type AccountSession,
  type JsonValue,
  type OverseenAccount,
  type OverseenAccountDetail,
} from '#domain';
import type { AccountCalendarView, AccountDetail, AccountQuery, AccountRow } from '#operator-api';
import { AccountAccess } from '../accounts/account-access.js';
import { AccountDeletion } from '../accounts/account-deletion.js';
import { currentActor } from '../actor.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';
import { lastFailureOf } from './accounts-failure.js';

const CALENDARS_ON_A_PAGE = 250;
/** A person has some dozens; a provider that never ends must not keep us. */
const MOST_PAGES = 8;

/** The accounts of all applications, for operators. */
@Injectable()
export class OverseenAccounts {
  constructor(
    private readonly accounts: AccountOversight,
    private readonly access: AccountAccess,
    private readonly deletion: AccountDeletion,
    private readonly tokens: SealedTokens,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  list(request: AccountQuery & PageRequest): Promise<PageOf<AccountRow>> {
    const { applicationId = null, providerType = null, status = null } = request;
    const search = request.search === undefined || request.search === '' ? null : request.search;
    const binding = ['overseen-accounts', applicationId ?? '', providerType ?? '', status ?? '', search ?? ''];
    return readPage(
      this.tokens,
      binding,
      request,
      (page) => this.accounts.list({ applicationId, providerType, status, search }, page),
      toView,
    );
  }

  /** @throws DomainError NotFound */
  async get(accountId: string): Promise<AccountDetail> {
    return toDetail(await this.find(accountId));
  }

  /**
   * Asked of the provider now, which is no use of the account by its application.
   * @throws DomainError NotFound, EndUserAccountExpired, and what the provider throws
   */
  async calendars(accountId: string, signal: AbortSignal): Promise<AccountCalendarView[]> {
    const { id, applicationId } = await this.find(accountId);
    const calendars = await this.access.tend({ applicationId }, id, signal, ({ provider, session }) =>
      allCalendars(provider, session),
    );
    const watches = new Map((await this.accounts.watched(id)).map((watch) => [watch.calendarId, watch]));
    return calendars.map(({ id: calendarId, name, isPrimary, readOnly, timeZone }) => {
      const watch = watches.get(calendarId);
      return {
        id: calendarId,
        title: name,
        isPrimary: isPrimary === true,
        isReadOnly: readOnly,
        timeZone,
        watch: watch === undefined ? 'none' : watch.isPushed ? 'pushed' : 'polled',
      };
    });
  }

  /** As its application can. @throws DomainError NotFound */
  async delete(accountId: string): Promise<void> {
    const { id, applicationId } = await this.find(accountId);
    await this.deletion.delete({ applicationId }, id, () =>
      this.audit.record({
        applicationId,
        action: 'end-user-account.deleted',
        subject: `end-user-account:${id}`,
        ...currentActor(),
      }),
    );
  }

  private async find(accountId: string): Promise<OverseenAccountDetail> {
    const account = await this.accounts.find(accountId);
    if (account === null) throw new DomainError('NotFound', 'There is no end user account with this id.');
    return account;
  }
}

async function allCalendars(provider: CalendarProvider, session: AccountSession): Promise<Calendar[]> {
  const calendars: Calendar[] = [];
  let next: JsonValue | null = null;
  for (let pages = 0; pages < MOST_PAGES; pages++) {
    const page = await provider.listCalendars(session, { pageSize: CALENDARS_ON_A_PAGE, page: next, sync: null });
    calendars.push(...page.items.filter((item): item is Calendar => !('isDeleted' in item)));
    next = page.nextPage;
    if (next === null) break;
  }
  return calendars;
}

function toView(account: OverseenAccount): AccountRow {
  const { id, applicationId, applicationName, providerType, email, externalId, status, createdAt, statusSince } =
    account;
  return {
    id,
    applicationId,
    applicationName,
    providerType,
    email,
    externalId,
    status,
    createdAt: createdAt.toISOString(),
    changedAt: statusSince.toISOString(),
  };
}

function toDetail(account: OverseenAccountDetail): AccountDetail {
  return {
    ...toView(account),
    scopes: account.authorizedScopes,
    serverUrl: account.serverUrl,
    health: {
      checkedAt: account.checkedAt?.toISOString() ?? null,
      nextCheckAt: account.nextCheckAt?.toISOString() ?? null,
      lastFailure: lastFailureOf(account),
    },
    history: account.history.map(({ at, status, reason }) => ({ at: at.toISOString(), status, reason })),
    subscriptions: account.subscriptions,
  };
}
