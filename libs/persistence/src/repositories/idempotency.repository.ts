import { Injectable } from '@nestjs/common';
import {
  IdempotencyRepository,
  type IdempotencyClaim,
  type IdempotencyKeyScope,
  type StoredResponse,
} from '#domain/applications';
import { IdGenerator } from '#domain/system';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation, KeyRing } from '../encryption/field-cipher.js';
import { keyedHash } from '../encryption/hashes.js';
import { COMPLETE, FIND_CLAIMED, FIND_RECORD, RELEASE, TAKE } from './idempotency.statements.js';

interface RecordRow {
  id: string;
  fingerprint: string;
  response: Buffer | null;
  lockedFor: number;
}

/** Part of every stored fingerprint: changing it makes every retry of a known request a mismatch. */
const PURPOSE = 'idempotency-fingerprint';

/** Locks and expiry use the clock of the database: clock skew between machines must not cause a takeover. */
@Injectable()
export class SqlIdempotencyRepository extends IdempotencyRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: IdGenerator,
    /** Keys the fingerprints: request bodies hold passwords, and a plain hash would confirm a guess. */
    private readonly keys: KeyRing,
  ) {
    super();
  }

  override async claim(
    { applicationId, key }: IdempotencyKeyScope,
    fingerprint: string,
    lockMs: number,
  ): Promise<IdempotencyClaim> {
    const scope = tenant(applicationId);
    const known = this.keys
      .all()
      .map((encryptionKey) => `${encryptionKey.kid}:${keyedHash(encryptionKey, PURPOSE, fingerprint).toString('hex')}`);
    const kids = this.keys.all().map(({ kid }) => kid);
    const [stored = ''] = known;
    // Outside a transaction of the caller: others must see the claim at once, and it outlives a rollback.
    return this.database.detached(async () => {
      for (;;) {
        const claimId = this.ids.next();
        if (await this.take(applicationId, key, { stored, known, kids }, lockMs, claimId))
          return { state: 'claimed', claimId };
        const [record] = await this.database.read<RecordRow>(scope, {
          text: FIND_RECORD,
          values: [applicationId, key],
        });
        if (record === undefined) continue; // released or expired meanwhile
        // Without the key of a fingerprint the requests cannot be compared: the client is trusted.
        const isComparable = kids.includes(record.fingerprint.split(':', 1)[0] ?? '');
        if (isComparable && !known.includes(record.fingerprint)) return { state: 'mismatch' };
        if (record.response !== null) {
          return {
            state: 'completed',
            response: this.cipher.openJson(location(record.id), record.response) as StoredResponse,
          };
        }
        if (record.lockedFor > 0) return { state: 'inFlight', retryAfterSeconds: Math.ceil(record.lockedFor) };
      }
    });
  }

  override async complete(
    { applicationId, key }: IdempotencyKeyScope,
    claimId: string,
    response: StoredResponse,
  ): Promise<void> {
    const scope = tenant(applicationId);
    await this.database.detached(async () => {
      const [record] = await this.database.read<{ id: string }>(scope, {
        text: FIND_CLAIMED,
        values: [applicationId, key, claimId],
      });
      if (record === undefined) return;
      await this.database.writeRepeatable(scope, {
        text: COMPLETE,
        values: [applicationId, record.id, claimId, this.cipher.sealJson(location(record.id), response)],
      });
    });
  }

  override async release({ applicationId, key }: IdempotencyKeyScope, claimId: string): Promise<void> {
    await this.database.detached(() =>
      this.database.writeRepeatable(tenant(applicationId), {
        text: RELEASE,
        values: [applicationId, key, claimId],
      }),
    );
  }

  /**
   * Succeeds for a new key, an expired record, a dead holder of the same request, or a claim whose response was lost.
   */
  private async take(
    applicationId: string,
    key: string,
    fingerprint: { stored: string; known: string[]; kids: string[] },
    lockMs: number,
    claimId: string,
  ): Promise<boolean> {
    const claim = {
      text: TAKE,
      values: [
        ...[this.ids.next(), applicationId, key, fingerprint.stored, claimId, lockMs],
        ...[fingerprint.known, fingerprint.kids],
      ],
    };
    const { count } = await foreignKeyAsNotFound(() => this.database.writeRepeatable(tenant(applicationId), claim));
    return count > 0;
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'idempotency_record', column: 'response', rowId };
}
