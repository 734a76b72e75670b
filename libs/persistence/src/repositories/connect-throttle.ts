import { Injectable } from '@nestjs/common';
import { ConnectThrottle, type ConnectAttempt } from '#domain/accounts';
import { DomainError, IdGenerator, isUuid } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { KeyRing } from '../encryption/field-cipher.js';
import { KeyedHash } from '../encryption/hashes.js';
import { FAILURE_WAIT } from './limits.statements.js';

/** Uses the clock of the database, outside a transaction of the caller: its failure is the event to count. */
@Injectable()
export class SqlConnectThrottle extends ConnectThrottle {
  private readonly passwordSignIn: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    keys: KeyRing,
  ) {
    super();
    this.passwordSignIn = new KeyedHash(keys, 'failed-connect-login');
  }

  override async admit(attempt: ConnectAttempt): Promise<void> {
    if (!isUuid(attempt.applicationId)) return;
    const [row] = await this.database.detached(() =>
      this.database.read<{ wait: number | null }>(tenant(attempt.applicationId), {
        text: FAILURE_WAIT,
        values: [attempt.applicationId, this.passwordSignIn.candidates(textOf(attempt)), attempt.actor],
      }),
    );
    const waitSeconds = row?.wait ?? 0;
    if (waitSeconds > 0) {
      throw new DomainError('RateLimited', 'Too many refused logins. Try again later.', {
        retryAfterSeconds: Math.ceil(waitSeconds),
      });
    }
  }

  override async recordRejection(attempt: ConnectAttempt): Promise<void> {
    const { applicationId: application, actor } = attempt;
    if (!isUuid(application)) return;
    const rejection = { id: this.ids.next(), application, actor, loginHash: this.passwordSignIn.of(textOf(attempt)) };
    await this.database.detached(() =>
      this.entities.query(tenant(application), (tables) =>
        tables
          .insertInto('FailedConnect')
          .values(({ fn }) => ({ ...rejection, rejectedAt: fn<Date>('clock_timestamp') }))
          .execute(),
      ),
    );
  }
}

function textOf({ providerType, login }: ConnectAttempt): string {
  return `${providerType} ${login}`;
}
