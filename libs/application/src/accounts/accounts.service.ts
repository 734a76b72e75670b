import { Injectable } from '@nestjs/common';
import { AccountRepository, type AccountListQuery, type EndUserAccount, type ProviderType } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { AuditLog } from '#domain/operator';
import { DomainError, invalid } from '#domain/system';
import { SealedTokens } from '../tokens/sealed-tokens.js';
import { AccountAccess } from './account-access.js';
import { AccountConnector, type UpsertAccount } from './account-connector.js';
import { AccountDeletion } from './account-deletion.js';
import { CredentialsService } from './credentials.service.js';

/** Section 2.1 of the interface specification. */
export interface AccountView {
  id: string;
  createdAt: string;
  updatedAt: string;
  email: string;
  externalId: string;
  authorizedScopes: string[];
  providerAccountId: string | null;
  providerId: string;
  applicationId: string;
  status: 'ACTIVE' | 'EXPIRED';
  providerType: ProviderType;
  serverUrl: string | null;
  /** Since when the shown data may be outdated. undefined while it is current. */
  staleSince?: string;
}

/** Section 2.2 of the interface specification. Tokens are null for accounts with a password. */
export interface CredentialsView {
  id: string;
  endUserAccountId: string;
  accessToken: string | null;
  refreshToken: string | null;
  expiresAt: string | null;
  status: 'ACTIVE';
  createdAt: string;
  updatedAt: string;
}

export interface ListAccounts {
  limit?: number;
  pageToken?: string;
  search?: string;
  statusFilter?: 'active' | 'expired';
}

type Filters = Pick<AccountListQuery, 'search' | 'status'>;

type PageContent = Filters & { createdAt: string; id: string };

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 200;
const UNFILTERED: Filters = { search: null, status: null };

@Injectable()
export class AccountsService {
  constructor(
    private readonly accounts: AccountRepository,
    private readonly connections: AccountConnector,
    private readonly deletion: AccountDeletion,
    private readonly access: AccountAccess,
    private readonly credentialsService: CredentialsService,
    private readonly tokens: SealedTokens,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError as {@link AccountConnector.connect} */
  async upsert(
    application: ApplicationRef,
    request: UpsertAccount,
    signal: AbortSignal,
    actor: string,
  ): Promise<AccountView> {
    return toView(await this.connections.connect(application, request, signal, actor));
  }

  /** @throws DomainError NotFound */
  async get(application: ApplicationRef, accountId: string): Promise<AccountView> {
    return toView(await this.accounts.getOwned(application, accountId));
  }

  /** Omitted filters come from the page token. @throws DomainError ValidationFailed, PageTokenInvalid */
  async list(
    application: ApplicationRef,
    request: ListAccounts,
  ): Promise<{ data: AccountView[]; nextPageToken: string | null }> {
    const limit = Math.min(request.limit ?? DEFAULT_LIMIT, MAX_LIMIT);
    if (!Number.isInteger(limit) || limit < 1) throw invalid('limit', 'must be a whole number from 1 to 200');
    const binding = ['accounts', application.applicationId];
    const from = request.pageToken === undefined ? null : (this.tokens.open(binding, request.pageToken) as PageContent);
    const filters = readFilters(request, from ?? UNFILTERED);
    if (from !== null && (filters.search !== from.search || filters.status !== from.status)) {
      throw new DomainError('PageTokenInvalid', 'The page token belongs to a list with other filters.');
    }
    const after = from && { createdAt: new Date(from.createdAt), id: from.id };
    // One extra row shows whether a next page exists, so that the last page is never empty.
    const rows = await this.accounts.list(application, { limit: limit + 1, ...filters, after });
    const page = rows.slice(0, limit);
    const last = page.at(-1);
    return {
      data: page.map(toView),
      nextPageToken:
        rows.length > limit && last !== undefined
          ? this.tokens.seal(binding, { ...filters, createdAt: last.createdAt.toISOString(), id: last.id })
          : null,
    };
  }

  /** @throws DomainError NotFound */
  async delete(
    application: ApplicationRef,
    accountId: string,
  ): Promise<{ message: string; ok: boolean; success: boolean }> {
    await this.deletion.delete(application, accountId);
    return { message: 'The end user account was deleted.', ok: true, success: true };
  }

  /** Audits every read. @throws DomainError as {@link CredentialsService.getFresh} */
  async credentials(
    application: ApplicationRef,
    accountId: string,
    by: { actor: string; requestId: string | null },
    signal: AbortSignal,
  ): Promise<CredentialsView> {
    const account = await this.access.getActive(application, accountId);
    const stored = await this.credentialsService.getFresh(account, signal);
    await this.audit.record({
      applicationId: application.applicationId,
      actor: by.actor,
      action: 'credentials.read',
      subject: `end-user-account:${account.id}`,
      requestId: by.requestId,
    });
    const oauth = stored.credentials.kind === 'oauth' ? stored.credentials : null;
    return {
      id: stored.id,
      endUserAccountId: account.id,
      accessToken: oauth?.accessToken ?? null,
      refreshToken: oauth?.refreshToken ?? null,
      expiresAt: oauth?.expiresAt?.toISOString() ?? null,
      status: 'ACTIVE',
      createdAt: stored.createdAt.toISOString(),
      updatedAt: stored.updatedAt.toISOString(),
    };
  }
}

function readFilters({ search, statusFilter }: ListAccounts, known: Filters): Filters {
  return {
    search: search === undefined ? known.search : search === '' ? null : search,
    status: statusFilter === undefined ? known.status : statusFilter === 'active' ? 'ACTIVE' : 'EXPIRED',
  };
}

function toView(account: EndUserAccount): AccountView {
  return {
    id: account.id,
    createdAt: account.createdAt.toISOString(),
    updatedAt: account.updatedAt.toISOString(),
    email: account.email,
    externalId: account.externalId ?? '',
    authorizedScopes: account.authorizedScopes,
    providerAccountId: account.providerAccountId,
    providerId: account.providerId,
    applicationId: account.applicationId,
    status: account.status,
    providerType: account.providerType,
    serverUrl: account.serverUrl,
    ...(typeof account.providerState?.['staleSince'] === 'string' && {
      staleSince: account.providerState['staleSince'],
    }),
  };
}
