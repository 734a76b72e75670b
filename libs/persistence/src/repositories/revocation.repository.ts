import { Injectable } from '@nestjs/common';
import {
  Ids,
  RevocationRepository,
  isUuid,
  type ApplicationRef,
  type PendingRevocation,
  type ProviderType,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation } from '../encryption/field-cipher.js';

interface RevocationRow {
  id: string;
  application_id: string;
  provider_type: ProviderType;
  provider_account_id: string | null;
  client_id: string;
  token: Buffer;
  attempts: number;
}

/** Whoever adds or claims one has it for a minute; every further attempt comes twice as late, up to six hours. */
const NEXT_ATTEMPT = "clock_timestamp() + least(power(2, attempts), 360) * interval '1 minute'";

@Injectable()
export class SqlRevocationRepository extends RevocationRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
  ) {
    super();
  }

  override async add(
    { applicationId }: ApplicationRef,
    revocation: Pick<PendingRevocation, 'providerType' | 'providerAccountId' | 'clientId' | 'token'>,
  ): Promise<PendingRevocation> {
    const id = this.ids.next();
    await this.database.write(tenant(applicationId), {
      text:
        'insert into grant_revocation (application_id, id, provider_type, provider_account_id, client_id, token, ' +
        "attempts, next_attempt_at) values ($1, $2, $3, $4, $5, $6, 0, clock_timestamp() + interval '1 minute')",
      values: [
        applicationId,
        id,
        revocation.providerType,
        revocation.providerAccountId,
        revocation.clientId,
        this.cipher.seal(location(id), Buffer.from(revocation.token, 'utf8')),
      ],
    });
    return { ...revocation, id, applicationId, attempts: 0 };
  }

  override async claimDue(limit: number): Promise<PendingRevocation[]> {
    const { rows } = await this.database.write<RevocationRow>(SYSTEM, {
      text:
        'with due as (select id from grant_revocation where next_attempt_at <= clock_timestamp() ' +
        'order by next_attempt_at limit $1 for update skip locked) ' +
        `update grant_revocation r set attempts = attempts + 1, next_attempt_at = ${NEXT_ATTEMPT} ` +
        'from due where r.id = due.id ' +
        'returning r.id, application_id, provider_type, provider_account_id, client_id, token, attempts',
      values: [limit],
    });
    return rows.map((row) => this.toPending(row));
  }

  override async find({ applicationId }: ApplicationRef, revocationId: string): Promise<PendingRevocation | null> {
    if (!isUuid(revocationId)) return null;
    const [row] = await this.database.read<RevocationRow>(tenant(applicationId), {
      text:
        'select id, application_id, provider_type, provider_account_id, client_id, token, attempts ' +
        'from grant_revocation where application_id = $1 and id = $2',
      values: [applicationId, revocationId],
    });
    return row === undefined ? null : this.toPending(row);
  }

  override async remove({ applicationId, id }: PendingRevocation): Promise<void> {
    if (!isUuid(id)) return;
    await this.database.write(tenant(applicationId), {
      text: 'delete from grant_revocation where application_id = $1 and id = $2',
      values: [applicationId, id],
    });
  }

  override async isAnyPending({ applicationId }: ApplicationRef): Promise<boolean> {
    const rows = await this.database.read(tenant(applicationId), {
      text: 'select 1 from grant_revocation where application_id = $1 limit 1',
      values: [applicationId],
    });
    return rows.length > 0;
  }

  private toPending(row: RevocationRow): PendingRevocation {
    return {
      id: row.id,
      applicationId: row.application_id,
      providerType: row.provider_type,
      providerAccountId: row.provider_account_id,
      clientId: row.client_id,
      token: this.cipher.open(location(row.id), row.token).toString('utf8'),
      attempts: row.attempts,
    };
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'grant_revocation', column: 'token', rowId };
}
