import { Injectable } from '@nestjs/common';
import { OperatorSignInFailures, type SignInSubject } from '#domain/operator';
import { Clock } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { OperatorSignInFailureEntity } from '../entities/operators.entities.js';
import { CLAIM_ATTEMPT, COUNT_FAILURE } from './operator-sign-in-failures.statements.js';

@Injectable()
export class SqlOperatorSignInFailures extends OperatorSignInFailures {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async claim(subjects: readonly SignInSubject[]): Promise<Date | null> {
    const now = new Date(this.clock.nowMs());
    const hashes = subjects.map(({ hash }) => hash);
    const waits = [subjects.map((one) => one.firstWaitSeconds), subjects.map((one) => one.maxWaitSeconds)];
    const { count } = await this.database.write(SYSTEM, { text: CLAIM_ATTEMPT, values: [hashes, now, ...waits] });
    return count === subjects.length ? null : this.blockedUntil(hashes, now);
  }

  override async count(subject: Buffer): Promise<number> {
    const { rows } = await this.database.write<{ failures: number }>(SYSTEM, {
      text: COUNT_FAILURE,
      values: [subject, new Date(this.clock.nowMs())],
    });
    return (rows[0] as { failures: number }).failures;
  }

  override async clear(subjects: readonly Buffer[]): Promise<void> {
    await this.entities.within(SYSTEM, (em) =>
      em.nativeDelete(OperatorSignInFailureEntity, { subjectHash: { $in: [...subjects] } }),
    );
  }

  override async undo(subject: Buffer): Promise<void> {
    await this.entities.query(SYSTEM, (tables) =>
      tables
        .updateTable('OperatorSignInFailure')
        .set((failure) => ({
          failures: failure.fn<number>('greatest', [failure('failures', '-', 1), failure.lit(0)]),
          blockedUntil: null,
        }))
        .where('subjectHash', '=', subject)
        .execute(),
    );
  }

  private async blockedUntil(subjects: readonly Buffer[], now: Date): Promise<Date> {
    const row = await this.entities.query(SYSTEM, (tables) =>
      tables
        .selectFrom('OperatorSignInFailure')
        .select(({ fn }) => fn.max('blockedUntil').as('until'))
        .where('subjectHash', 'in', subjects)
        .executeTakeFirst(),
    );
    // The row was deleted meanwhile: the next attempt is allowed.
    return row?.until ?? now;
  }
}
