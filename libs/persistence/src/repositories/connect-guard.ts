import { Injectable } from '@nestjs/common';
import { ConnectGuard, DomainError, Ids, isUuid, type ConnectAttempt } from '#domain';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { KeyRing } from '../encryption/key-ring.js';
import { KeyedHash } from '../encryption/hashes.js';

/** How long a refusal counts. */
export const REFUSAL_WINDOW = "interval '10 minutes'";
/** Refusals of one login, and of all logins that one key tried, before it has to wait (N53). */
const PER_LOGIN = 5;
const PER_ACTOR = 20;

/** On the database's clock; not part of a transaction of the caller, whose failure is what is counted. */
@Injectable()
export class SqlConnectGuard extends ConnectGuard {
  private readonly logins: KeyedHash;

  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    keys: KeyRing,
  ) {
    super();
    this.logins = new KeyedHash(keys, 'connect-refusal-login');
  }

  override async admit(attempt: ConnectAttempt): Promise<void> {
    if (!isUuid(attempt.applicationId)) return;
    const [row] = await this.database.detached(() =>
      this.database.read<{ wait: number | null }>(tenant(attempt.applicationId), {
        text:
          `select extract(epoch from greatest(${freedAt('login_hash = any($2)', PER_LOGIN)}, ` +
          `${freedAt('actor = $3', PER_ACTOR)}) - clock_timestamp())::float8 as wait`,
        values: [attempt.applicationId, this.logins.candidates(textOf(attempt)), attempt.actor],
      }),
    );
    const waitSeconds = row?.wait ?? 0;
    if (waitSeconds > 0) {
      throw new DomainError('RateLimited', 'Too many refused logins. Try again later.', {
        retryAfterSeconds: Math.ceil(waitSeconds),
      });
    }
  }

  override async noteRefusal(attempt: ConnectAttempt): Promise<void> {
    if (!isUuid(attempt.applicationId)) return;
    await this.database.detached(() =>
      this.database.write(tenant(attempt.applicationId), {
        text:
          'insert into connect_refusal (application_id, id, actor, login_hash, refused_at) ' +
          'values ($1, $2, $3, $4, clock_timestamp())',
        values: [attempt.applicationId, this.ids.next(), attempt.actor, this.logins.of(textOf(attempt))],
      }),
    );
  }
}

/** When fewer than `limit` refusals will count; null: they do not now. */
function freedAt(whose: string, limit: number): string {
  return (
    `(select refused_at + ${REFUSAL_WINDOW} from connect_refusal where application_id = $1 and ${whose} ` +
    `and refused_at > clock_timestamp() - ${REFUSAL_WINDOW} order by refused_at desc offset ${limit - 1} limit 1)`
  );
}

function textOf({ providerType, login }: ConnectAttempt): string {
  return `${providerType} ${login}`;
}
