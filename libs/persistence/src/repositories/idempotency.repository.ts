import { Injectable } from '@nestjs/common';
import {
  DomainError,
  IdempotencyRepository,
  Ids,
  type IdempotencyClaim,
  type IdempotencyKeyScope,
  type StoredAnswer,
} from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { FieldCipher, type FieldLocation, KeyRing } from '../encryption/field-cipher.js';
import { keyedHash } from '../encryption/hashes.js';
import { COMPLETE, FIND_CLAIMED, FIND_RECORD, RELEASE, TAKE } from './idempotency.statements.js';

interface RecordRow {
  id: string;
  fingerprint: string;
  answer: Buffer | null;
  /** Seconds until the claim may be taken over. */
  lockedFor: number;
}

/** Changing it makes every repetition of a running or answered request another request. */
const PURPOSE = 'idempotency-fingerprint';

/**
 * Locks and expiry run on the database's clock: the holders are on several machines, and a claim must not be taken
 * over because two of them disagree about the time.
 */
@Injectable()
export class SqlIdempotencyRepository extends IdempotencyRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
    /** Requests hold passwords: without a key, their fingerprints would tell who guesses that he is right. */
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
    // Not part of a transaction of the caller: others must see the claim at once, and it outlives what is undone.
    return this.database.detached(async () => {
      for (;;) {
        const claimId = this.ids.next();
        if (await this.take(applicationId, key, { stored, known, kids }, lockMs, claimId))
          return { state: 'claimed', claimId };
        const [record] = await this.database.read<RecordRow>(scope, {
          text: FIND_RECORD,
          values: [applicationId, key],
        });
        if (record === undefined) continue; // released or expired since: it can be taken now
        // Of a key that is gone nobody can tell what the request was: the caller's word for it stands.
        const isJudged = kids.includes(record.fingerprint.split(':', 1)[0] ?? '');
        if (isJudged && !known.includes(record.fingerprint)) return { state: 'mismatch' };
        if (record.answer !== null) {
          return {
            state: 'completed',
            answer: this.cipher.openJson(location(record.id), record.answer) as StoredAnswer,
          };
        }
        if (record.lockedFor > 0) return { state: 'inFlight', retryAfterSeconds: Math.ceil(record.lockedFor) };
      }
    });
  }

  /** A late holder whose claim was taken over changes nothing. */
  override async complete(
    { applicationId, key }: IdempotencyKeyScope,
    claimId: string,
    answer: StoredAnswer,
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
        values: [applicationId, record.id, claimId, this.cipher.sealJson(location(record.id), answer)],
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
   * One statement decides: a new key, an expired record, the same request whose holder died, or a claim that is ours
   * already although the answer was lost.
   */
  private async take(
    applicationId: string,
    key: string,
    fingerprint: { stored: string; known: string[]; kids: string[] },
    lockMs: number,
    claimId: string,
  ): Promise<boolean> {
    try {
      const { count } = await this.database.writeRepeatable(tenant(applicationId), {
        text: TAKE,
        values: [
          ...[this.ids.next(), applicationId, key, fingerprint.stored, claimId, lockMs],
          ...[fingerprint.known, fingerprint.kids],
        ],
      });
      return count > 0;
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new DomainError('NotFound', 'There is no application with this id.');
      throw error;
    }
  }
}

function location(rowId: string): FieldLocation {
  return { table: 'idempotency_record', column: 'answer', rowId };
}
