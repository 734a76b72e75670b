import { Injectable } from '@nestjs/common';
import { GrantLedger, type GrantTally, type ProviderType } from '#domain';
import { Database, type Statement } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';

type GrantClient = { providerType: ProviderType; clientId: string };

/** How far back refreshes are counted. */
export const TALLY_WINDOW = "interval '5 minutes'";

/**
 * Belongs to no application: a client may serve several of them. Nothing of it is part of a transaction of the caller:
 * the other processes must see it at once.
 */
@Injectable()
export class SqlGrantLedger extends GrantLedger {
  constructor(private readonly database: Database) {
    super();
  }

  override async record(
    { providerType, clientId }: GrantClient,
    accountId: string,
    outcome: 'refreshed' | 'refused',
  ): Promise<GrantTally> {
    await this.write({
      text:
        'insert into grant_tally (provider_type, client_id, account_id, refused, judged_at) ' +
        'values ($1, $2, $3, $4, clock_timestamp()) on conflict (provider_type, client_id, account_id) do update ' +
        'set refused = excluded.refused, judged_at = excluded.judged_at',
      values: [providerType, clientId, accountId, outcome === 'refused'],
    });
    // A statement of its own: of several at once, the last one to be written counts all of them.
    const [tally] = await this.read<{ judged: number; refused: number; held_since: Date | null }>({
      text:
        'select count(*)::int as judged, count(*) filter (where refused)::int as refused, ' +
        '(select held_since from grant_hold where provider_type = $1 and client_id = $2) ' +
        'from grant_tally where provider_type = $1 and client_id = $2 ' +
        `and judged_at > clock_timestamp() - ${TALLY_WINDOW}`,
      values: [providerType, clientId],
    });
    return { judged: tally?.judged ?? 0, refused: tally?.refused ?? 0, heldSince: tally?.held_since ?? null };
  }

  override async hold({ providerType, clientId }: GrantClient): Promise<boolean> {
    return this.write({
      text:
        'insert into grant_hold (provider_type, client_id, held_since) values ($1, $2, clock_timestamp()) ' +
        'on conflict (provider_type, client_id) do nothing',
      values: [providerType, clientId],
    });
  }

  override async release({ providerType, clientId }: GrantClient): Promise<boolean> {
    return this.write({
      text:
        'with forgotten as (delete from grant_tally where provider_type = $1 and client_id = $2) ' +
        'delete from grant_hold where provider_type = $1 and client_id = $2',
      values: [providerType, clientId],
    });
  }

  override async mayProbe({ providerType, clientId }: GrantClient, everyMs: number): Promise<boolean> {
    return this.write({
      text:
        'update grant_hold set probed_at = clock_timestamp() where provider_type = $1 and client_id = $2 ' +
        "and (probed_at is null or probed_at <= clock_timestamp() - $3 * interval '1 ms')",
      values: [providerType, clientId, everyMs],
    });
  }

  override async heldSince({ providerType, clientId }: GrantClient): Promise<Date | null> {
    const [row] = await this.read<{ held_since: Date }>({
      text: 'select held_since from grant_hold where provider_type = $1 and client_id = $2',
      values: [providerType, clientId],
    });
    return row?.held_since ?? null;
  }

  override async isSuspect({ providerType, clientId }: GrantClient, accountId: string): Promise<boolean> {
    const rows = await this.read({
      text:
        'select 1 from grant_tally join grant_hold using (provider_type, client_id) ' +
        'where provider_type = $1 and client_id = $2 and account_id = $3 and refused ' +
        `and judged_at > held_since - ${TALLY_WINDOW}`,
      values: [providerType, clientId, accountId],
    });
    return rows.length > 0;
  }

  private read<Row>(statement: Statement): Promise<Row[]> {
    return this.database.detached(() => this.database.read<Row>(SYSTEM, statement));
  }

  /** Whether anything was changed. */
  private async write(statement: Statement): Promise<boolean> {
    return (await this.database.detached(() => this.database.write(SYSTEM, statement))).count > 0;
  }
}
