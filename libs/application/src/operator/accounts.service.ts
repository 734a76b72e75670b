import { Injectable, Inject } from '@nestjs/common';
import type { AccountStatus, ProviderType, AccountStatusReason } from '#domain/accounts';
import type { Calendar } from '#domain/calendars';
import {
  OperatorAccountQueries,
  AuditLog,
  type AccountSummary,
  type AccountDetail,
  type TimelineEntry,
} from '#domain/operator';
import { CalendarProviders, type CalendarProvider, type AccountSession } from '#domain/providers';
import { noSuchAccount, DomainError, type JsonValue } from '#domain/system';
import { RedirectUrlRepository } from '#domain/oauth';
import { AccountAccess } from '../accounts/account-access.js';
import { AccountDeletion } from '../accounts/account-deletion.js';
import { recordAction } from '../system/actor.js';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { readPage, type PageOf, type PageRequest } from '../webhooks/endpoint-pages.js';
import { OAuthClients } from '../accounts/token-refresh.js';
import { PUBLIC_URL } from '../system/settings.js';

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
    const calendars = await this.access.useInBackground(
      { applicationId },
      id,
      signal,
      'check',
      ({ provider, session }) => allCalendars(provider, session),
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

export interface AccountFailure {
  at: Date;
  reason: string;
  explanation: string;
}

/** A first rejection of a password, before it is confirmed. */
const UNCONFIRMED = 'rejection_unconfirmed';

const EXPLANATIONS: Record<Exclude<AccountStatusReason, 'reconnected'> | typeof UNCONFIRMED, string> = {
  invalid_grant:
    'The provider no longer accepts what the user granted: it was revoked, it was not used for too long, or the user ' +
    'has a new password. The user has to sign in again.',
  consent_revoked:
    'The user, or an administrator of their organization, has withdrawn the consent. It has to be given again: by the ' +
    'user, who signs in once more, or by the administrator.',
  user_deleted:
    'The provider says that there is no such user any more, or that the user is locked. Only the organization of the ' +
    'user can change that.',
  password_rejected:
    'The server refused the password, and refused it again later. The user has to connect the account with the present ' +
    'password; most providers want one that is made for an app.',
  [UNCONFIRMED]:
    'The server refused the password. Servers do that by mistake, too: it is tried again within a minute, and the ' +
    'account is EXPIRED when it is refused then.',
};

export function lastFailureOf({
  status,
  statusReason,
  statusSince,
  rejectedAt,
}: Pick<AccountDetail, 'status' | 'statusReason' | 'statusSince' | 'rejectedAt'>): AccountFailure | null {
  if (status === 'EXPIRED') return failure(statusSince, statusReason ?? 'unknown');
  return rejectedAt === null ? null : failure(rejectedAt, UNCONFIRMED);
}

function failure(at: Date, reason: string): AccountFailure {
  return { at, reason, explanation: explanationOf(reason) };
}

function explanationOf(reason: string): string {
  return Object.hasOwn(EXPLANATIONS, reason)
    ? EXPLANATIONS[reason as keyof typeof EXPLANATIONS]
    : 'The credentials do not work any more. The user has to connect the account again.';
}

export interface ReconnectLink {
  providerType: ProviderType;
  url: string;
}

@Injectable()
export class AccountReconnect {
  constructor(
    private readonly accounts: OperatorAccountQueries,
    private readonly providers: CalendarProviders,
    private readonly clients: OAuthClients,
    private readonly redirectUrls: RedirectUrlRepository,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
  ) {}

  /** @throws DomainError NotFound; Conflict without OAuth, OAuth client or redirect URL */
  async link(accountId: string): Promise<ReconnectLink> {
    const account = await this.accounts.find(accountId);
    if (account === null) throw noSuchAccount();
    const { applicationId, providerType, email } = account;
    if (this.providers.for(providerType).authorization === null) {
      throw new DomainError(
        'Conflict',
        `${providerType} accounts have a password: the application has to connect this one with the new password.`,
      );
    }
    if ((await this.clients.of({ applicationId }, providerType)) === null) {
      throw new DomainError(
        'Conflict',
        `The application has no OAuth client for ${providerType} accounts: set one first.`,
      );
    }
    if ((await this.redirectUrls.list({ applicationId })).length === 0) {
      throw new DomainError(
        'Conflict',
        'The application has no redirect URL, where users come back to: add one first.',
      );
    }
    return { providerType, url: this.authorizeUrl(applicationId, providerType, email) };
  }

  private authorizeUrl(applicationId: string, providerType: ProviderType, loginHint: string): string {
    const root = this.publicUrl.replace(/\/+$/, '');
    const path = `/api/v1/oauth/authorize/${applicationId}/${providerType.toLowerCase()}`;
    return `${root}${path}?loginHint=${encodeURIComponent(loginHint)}`;
  }
}
