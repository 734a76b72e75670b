import { Injectable } from '@nestjs/common';
import type { AccountStatus, ProviderType } from '#domain/accounts';
import type { Calendar } from '#domain/calendars';
import {
  OperatorAccountQueries,
  AuditLog,
  type AccountSummary,
  type AccountDetail,
  type TimelineEntry,
} from '#domain/operator';
import type { CalendarProvider, AccountSession } from '#domain/providers';
import { noSuchAccount, type JsonValue } from '#domain/system';
import { AccountAccess } from '../accounts/account-access.js';
import { AccountDeletion } from '../accounts/account-deletion.js';
import { recordAction } from '../system/actor.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';
import { lastFailureOf, type AccountFailure } from './accounts-failure.js';

export interface ListOperatorAccounts extends PageRequest {
  applicationId?: string;
  providerType?: ProviderType;
  status?: AccountStatus;
  /** Part of an email address, or a whole account id or externalId. */
  search?: string;
}

/** `lastFailure` is null when the account works. */
export type AccountDetailWithFailure = AccountDetail & { lastFailure: AccountFailure | null };

export interface AccountCalendar {
  id: string;
  title: string;
  isPrimary: boolean;
  isReadOnly: boolean;
  timeZone: string | null;
  changeDetection: 'none' | 'pushed' | 'polled';
}

const TIMELINE_LENGTH = 100;
const CALENDARS_ON_A_PAGE = 250;
/** Guards against a provider whose pages never end. */
const MAX_PAGES = 8;

@Injectable()
export class OperatorAccountsService {
  constructor(
    private readonly accounts: OperatorAccountQueries,
    private readonly access: AccountAccess,
    private readonly deletion: AccountDeletion,
    private readonly tokens: SealedTokens,
    private readonly audit: AuditLog,
  ) {}

  /** Newest first. @throws DomainError ValidationFailed, PageTokenInvalid */
  list(request: ListOperatorAccounts): Promise<PageOf<AccountSummary>> {
    const { applicationId = null, providerType = null, status = null } = request;
    const search = request.search === undefined || request.search === '' ? null : request.search;
    const binding = ['operator-accounts', applicationId ?? '', providerType ?? '', status ?? '', search ?? ''];
    return readPage(this.tokens, binding, request, (page) =>
      this.accounts.list({ applicationId, providerType, status, search }, page),
    );
  }

  /** @throws DomainError NotFound */
  async get(accountId: string): Promise<AccountDetailWithFailure> {
    const account = await this.find(accountId);
    return { ...account, lastFailure: lastFailureOf(account) };
  }

  /** Newest first. @throws DomainError NotFound */
  async timeline(accountId: string): Promise<TimelineEntry[]> {
    const { id } = await this.find(accountId);
    return this.accounts.timeline(id, TIMELINE_LENGTH);
  }

  /** Does not count as a use. @throws DomainError NotFound, EndUserAccountExpired, and what the provider throws */
  async calendars(accountId: string, signal: AbortSignal): Promise<AccountCalendar[]> {
    const { id, applicationId } = await this.find(accountId);
    const calendars = await this.access.tend({ applicationId }, id, signal, 'check', ({ provider, session }) =>
      allCalendars(provider, session),
    );
    const changeDetections = new Map(
      (await this.accounts.changeDetections(id)).map((changeDetection) => [
        changeDetection.calendarId,
        changeDetection,
      ]),
    );
    return calendars.map(({ id: calendarId, name, isPrimary, readOnly, timeZone }) => {
      const changeDetection = changeDetections.get(calendarId);
      return {
        id: calendarId,
        title: name,
        isPrimary: isPrimary === true,
        isReadOnly: readOnly,
        timeZone,
        changeDetection: changeDetection === undefined ? 'none' : changeDetection.isPushed ? 'pushed' : 'polled',
      };
    });
  }

  /** @throws DomainError NotFound */
  async delete(accountId: string): Promise<void> {
    const { id, applicationId } = await this.find(accountId);
    await this.deletion.delete({ applicationId }, id, () =>
      recordAction(this.audit, 'end-user-account.deleted', `end-user-account:${id}`, applicationId),
    );
  }

  private async find(accountId: string): Promise<AccountDetail> {
    const account = await this.accounts.find(accountId);
    if (account === null) throw noSuchAccount();
    return account;
  }
}

async function allCalendars(provider: CalendarProvider, session: AccountSession): Promise<Calendar[]> {
  const calendars: Calendar[] = [];
  let next: JsonValue | null = null;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const page = await provider.listCalendars(session, { pageSize: CALENDARS_ON_A_PAGE, page: next, sync: null });
    calendars.push(...page.items.filter((item): item is Calendar => !('isDeleted' in item)));
    next = page.nextPage;
    if (next === null) break;
  }
  return calendars;
}
