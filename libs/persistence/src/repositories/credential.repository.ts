import { Injectable } from '@nestjs/common';
import {
  CredentialRepository,
  type AccountWithCredential,
  type Credentials,
  type EndUserAccount,
  type OAuthCredentials,
  type StoredCredential,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { Clock, DomainError, IdGenerator, isUuid, noSuchAccount } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';
import { EndUserAccountEntity } from '../entities/accounts.entities.js';
import {
  ACCOUNTS_WITH_CREDENTIALS,
  CREDENTIAL_VERSION,
  INSERT_CREDENTIAL,
  LEASE_CREDENTIAL,
  OVERWRITE_CREDENTIAL,
  RELEASE_CREDENTIAL,
  REPLACE_CREDENTIAL,
} from './accounts.statements.js';
import { ReadBatcher } from './read-batcher.js';

type CredentialRow = Omit<StoredCredential, 'credentials'> & { secret: Buffer };

/** The columns of a credential are null for an account without one. */
type AccountAndCredentialRow = EndUserAccount & {
  credentialId: string | null;
  secret: Buffer;
  rowVersion: number;
  credentialCreatedAt: Date;
  credentialUpdatedAt: Date;
};

type SecretJson =
  Exclude<Credentials, OAuthCredentials> | (Omit<OAuthCredentials, 'expiresAt'> & { expiresAt: string | null });

@Injectable()
export class SqlCredentialRepository extends CredentialRepository {
  /** Concurrent reads of one account share a statement and a decryption: all callers miss an expired token at once. */
  private readonly gathered = new ReadBatcher((applicationId, accountIds) =>
    this.ofAccounts(applicationId, accountIds),
  );

  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly cipher: FieldCipher,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async put(
    { applicationId }: ApplicationRef,
    accountId: string,
    credentials: Credentials,
  ): Promise<StoredCredential> {
    if (!isUuid(accountId)) throw noSuchCredential();
    // The ciphertext is bound to the row id, so the id must be known first. The loser of a race reads it and retries.
    for (;;) {
      const known = await this.rowId(applicationId, accountId);
      const id = known ?? this.ids.next();
      const { rows } = await this.database.write<CredentialRow>(tenant(applicationId), {
        text: known === undefined ? INSERT_CREDENTIAL : OVERWRITE_CREDENTIAL,
        values: [
          applicationId,
          accountId,
          id,
          this.cipher.sealJson(location(id), toSecret(credentials)),
          clientIdOf(credentials),
          this.now(),
        ],
      });
      if (rows[0] !== undefined) return toStored(rows[0], credentials);
      if (!(await this.hasAccount(applicationId, accountId))) throw noSuchCredential();
    }
  }

  override async get({ applicationId }: ApplicationRef, accountId: string): Promise<StoredCredential> {
    if (!isUuid(accountId)) throw noSuchCredential();
    const found = await this.find(applicationId, accountId);
    if (found === undefined) throw noSuchCredential();
    return found.open();
  }

  override async getWithAccount({ applicationId }: ApplicationRef, accountId: string): Promise<AccountWithCredential> {
    if (!isUuid(accountId)) throw noSuchAccount();
    const found = await this.find(applicationId, accountId);
    if (found === undefined) throw noSuchAccount();
    const { account, open } = found;
    // Concurrent callers share one row.
    return { account: { ...account, authorizedScopes: [...account.authorizedScopes] }, credential: open };
  }

  override async version({ applicationId }: ApplicationRef, accountId: string): Promise<number | null> {
    if (!isUuid(accountId)) return null;
    const [row] = await this.database.read<{ rowVersion: number }>(tenant(applicationId), {
      ...CREDENTIAL_VERSION,
      values: [applicationId, accountId],
    });
    return row?.rowVersion ?? null;
  }

  override async lease(
    { applicationId }: ApplicationRef,
    accountId: string,
    rowVersion: number,
    forMs: number,
  ): Promise<string | null> {
    if (!isUuid(accountId)) return null;
    // Outside a transaction of the caller: other processes must see the lease at once.
    const { rows } = await this.database.detached(() =>
      this.database.write<{ leaseId: string }>(tenant(applicationId), {
        text: LEASE_CREDENTIAL,
        values: [applicationId, accountId, rowVersion, this.ids.next(), forMs],
      }),
    );
    return rows[0]?.leaseId ?? null;
  }

  override async releaseLease({ applicationId }: ApplicationRef, accountId: string, leaseId: string): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.detached(() =>
      this.database.write(tenant(applicationId), {
        text: RELEASE_CREDENTIAL,
        values: [applicationId, accountId, leaseId],
      }),
    );
  }

  override async replace(
    { applicationId }: ApplicationRef,
    accountId: string,
    rowVersion: number,
    credentials: Credentials,
  ): Promise<StoredCredential | null> {
    if (!isUuid(accountId)) return null;
    const id = await this.rowId(applicationId, accountId);
    if (id === undefined) return null;
    const { rows } = await this.database.write<CredentialRow>(tenant(applicationId), {
      text: REPLACE_CREDENTIAL,
      values: [
        applicationId,
        id,
        rowVersion,
        this.cipher.sealJson(location(id), toSecret(credentials)),
        clientIdOf(credentials),
        this.now(),
      ],
    });
    return rows[0] === undefined ? null : toStored(rows[0], credentials);
  }

  override async sharesGrant(
    { id, providerType, providerAccountId }: Pick<EndUserAccount, 'id' | 'providerType' | 'providerAccountId'>,
    clientId: string,
  ): Promise<boolean> {
    // Accounts without a known person may all belong to the same one, so null counts as equal.
    return this.entities.query(SYSTEM, async (tables) => {
      const shared = await tables
        .selectFrom('Credential')
        .innerJoin('EndUserAccount', 'EndUserAccount.id', 'Credential.endUserAccount')
        .select('Credential.id')
        .where('Credential.oauthClientId', '=', clientId)
        .where('EndUserAccount.providerType', '=', providerType)
        .where('EndUserAccount.providerAccountId', 'is not distinct from', providerAccountId)
        .where('EndUserAccount.id', '<>', id)
        .limit(1)
        .executeTakeFirst();
      return shared !== undefined;
    });
  }

  private async rowId(application: string, endUserAccount: string): Promise<string | undefined> {
    const row = await this.entities.query(tenant(application), (tables) =>
      tables
        .selectFrom('Credential')
        .select('id')
        .where('application', '=', application)
        .where('endUserAccount', '=', endUserAccount)
        .executeTakeFirst(),
    );
    return row?.id;
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }

  /** A read of a transaction must run inside it. */
  private async find(applicationId: string, accountId: string) {
    return this.database.inTransaction()
      ? (await this.ofAccounts(applicationId, [accountId]))[0]
      : this.gathered.find(applicationId, accountId);
  }

  private async ofAccounts(
    applicationId: string,
    accountIds: string[],
  ): Promise<{ id: string; account: EndUserAccount; open: () => StoredCredential }[]> {
    const rows = await this.database.read<AccountAndCredentialRow>(tenant(applicationId), {
      ...ACCOUNTS_WITH_CREDENTIALS,
      values: [applicationId, accountIds],
    });
    return rows.map(({ credentialId, secret, rowVersion, credentialCreatedAt, credentialUpdatedAt, ...account }) => {
      const { id } = account;
      if (credentialId === null) {
        const open = () => {
          throw noSuchCredential();
        };
        return { id, account, open };
      }
      const own = { id: credentialId, applicationId: account.applicationId, endUserAccountId: id, secret, rowVersion };
      const open = this.opener({ ...own, createdAt: credentialCreatedAt, updatedAt: credentialUpdatedAt });
      return { id, account, open };
    });
  }

  /** Decrypts on demand and once: an unreadable row fails only the callers that read it. */
  private opener(row: CredentialRow): () => StoredCredential {
    let opened: StoredCredential | undefined;
    return () =>
      (opened ??= toStored(row, fromSecret(this.cipher.openJson(location(row.id), row.secret) as SecretJson)));
  }

  private async hasAccount(application: string, id: string): Promise<boolean> {
    const count = await this.entities.within(tenant(application), (em) =>
      em.count(EndUserAccountEntity, { application, id }),
    );
    return count > 0;
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'credential', column: 'secret', rowId };
}

function clientIdOf(credentials: Credentials): string | null {
  return credentials.kind === 'oauth' ? credentials.clientId : null;
}

function toSecret(credentials: Credentials): SecretJson {
  return credentials.kind === 'oauth'
    ? { ...credentials, expiresAt: credentials.expiresAt?.toISOString() ?? null }
    : credentials;
}

function fromSecret(secret: SecretJson): Credentials {
  return secret.kind === 'oauth'
    ? { ...secret, expiresAt: secret.expiresAt === null ? null : new Date(secret.expiresAt) }
    : secret;
}

function toStored({ secret: _secret, ...row }: CredentialRow, credentials: Credentials): StoredCredential {
  return { ...row, credentials };
}

function noSuchCredential(): DomainError {
  return new DomainError('NotFound', 'There are no credentials of this end user account.');
}
