import { randomUUID } from 'node:crypto';
import { DomainError } from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database, type Statement } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { LEASE_MS } from './account-slots.js';

export interface AccountScope {
  applicationId: string;
  accountId: string;
}

/** One slot of an account, under one lease. */
export interface LeasedSlot {
  accountId: string;
  slot: number;
  leaseId: string;
}

export interface RenewedSlot {
  slot: number;
  leaseId: string;
  /** Another process waits for it. */
  isWanted: boolean;
}

/** A process that asks again and again keeps its wish alive; one that died blocks nobody for longer. */
const WISH_MS = 1_000;

/** Who holds which slot, in one table, on the database's clock. Nothing here is part of a caller's transaction. */
export class SlotLeases {
  private readonly processId = randomUUID();

  constructor(private readonly database: Database) {}

  /**
   * Takes up to `count` of the slots 1 to `limit` for {@link LEASE_MS}. When there is none, the one that others have
   * held longest is reserved for this process.
   * @param own leases that this process has: it does not wait for itself
   * @throws DomainError NotFound, when there is no such application
   */
  async take({ applicationId, accountId }: AccountScope, limit: number, count: number, own: string[]) {
    const leaseId = randomUUID();
    try {
      // Sent twice it may take more than it asked for: they are free again after the lease.
      const { rows } = await this.database.detached(() =>
        this.database.writeRepeatable<{ slot: number }>(tenant(applicationId), {
          name: 'provider-slot-take',
          text: TAKE,
          values: [applicationId, accountId, limit, count, leaseId, this.processId, own],
        }),
      );
      return rows.map(({ slot }) => ({ slot, leaseId }));
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new DomainError('NotFound', 'There is no application with this id.');
      throw error;
    }
  }

  /** @returns those that are still this process's, for {@link LEASE_MS} from now */
  async renew(applicationId: string, slots: readonly LeasedSlot[]): Promise<RenewedSlot[]> {
    const rows = await this.writeOwn<{ slot: number; lease_id: string; is_wanted: boolean }>(applicationId, slots, {
      name: 'provider-slot-renew',
      text: RENEW,
    });
    return rows.map(({ slot, lease_id: leaseId, is_wanted: isWanted }) => ({ slot, leaseId, isWanted }));
  }

  /** Those that another process waits for, or would have to wait for: its account has no slot that is free. */
  async lacking(
    applicationId: string,
    slots: readonly (LeasedSlot & { limit: number })[],
  ): Promise<Pick<LeasedSlot, 'slot' | 'leaseId'>[]> {
    const rows = await this.database.detached(() =>
      this.database.read<{ slot: number; lease_id: string }>(tenant(applicationId), {
        name: 'provider-slot-lacking',
        text: LACKING,
        values: [applicationId, ...columnsOf(slots), slots.map(({ limit }) => limit)],
      }),
    );
    return rows.map(({ slot, lease_id: leaseId }) => ({ slot, leaseId }));
  }

  async giveBack(applicationId: string, slots: readonly LeasedSlot[]): Promise<void> {
    await this.writeOwn(applicationId, slots, { name: 'provider-slot-give-back', text: GIVE_BACK });
  }

  private async writeOwn<Row>(
    applicationId: string,
    slots: readonly LeasedSlot[],
    statement: Pick<Statement, 'name' | 'text'>,
  ): Promise<Row[]> {
    const { rows } = await this.database.detached(() =>
      this.database.writeRepeatable<Row>(tenant(applicationId), {
        ...statement,
        values: [applicationId, ...columnsOf(slots)],
      }),
    );
    return rows;
  }
}

function columnsOf(slots: readonly LeasedSlot[]): [string[], number[], string[]] {
  return [slots.map(({ accountId }) => accountId), slots.map(({ slot }) => slot), slots.map(({ leaseId }) => leaseId)];
}

const LEASE = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;
const WISH = `clock_timestamp() + interval '${WISH_MS} milliseconds'`;

/** Nobody else's wish; $6: this process. */
const isUnwanted = (row: string) => `coalesce(${row}.wanted_by = $6 or ${row}.wanted_until <= clock_timestamp(), true)`;
const isFree = (row: string) => `${row}.leased_until <= clock_timestamp() and ${isUnwanted(row)}`;

/**
 * $3: limit, $4: count, $5: lease, $7: leases of this process. Rows are locked in the order of their slots, here and
 * below: statements that meet wait for each other and never in a circle.
 */
const TAKE = `
  with rows as materialized (
    select * from provider_slot where application_id = $1 and account_id = $2 order by slot for update
  ), free as (
    select n.slot from generate_series(1, $3::int) as n (slot) left join rows on rows.slot = n.slot
     where rows.slot is null or ${isFree('rows')} order by n.slot limit $4
  ), taken as (
    insert into provider_slot as s (application_id, account_id, slot, lease_id, leased_until, taken_at)
    select $1, $2, free.slot, $5, ${LEASE}, clock_timestamp() from free order by free.slot
    on conflict (application_id, account_id, slot) do update
       set lease_id = excluded.lease_id, leased_until = excluded.leased_until, taken_at = excluded.taken_at,
           wanted_by = null, wanted_until = null
     where ${isFree('s')}
    returning slot
  ), wished as (
    update provider_slot s set wanted_by = $6, wanted_until = ${WISH}
     where application_id = $1 and account_id = $2 and not exists (select from taken)
       and slot = (select rows.slot from rows where rows.lease_id <> all ($7::uuid[]) and ${isUnwanted('rows')}
                    order by rows.wanted_by = $6 desc nulls last, rows.taken_at limit 1)
  )
  select slot from taken`;

/** The rows of these slots, as long as they are under these leases. */
const OWN = `
  with own as materialized (
    select account_id, slot from provider_slot join
           unnest($2::text[], $3::int[], $4::uuid[]) as held (account_id, slot, lease_id)
           using (account_id, slot, lease_id)
     where application_id = $1 and leased_until > clock_timestamp() order by account_id, slot for update of provider_slot
  )`;

const RENEW = `${OWN}
  update provider_slot s set leased_until = ${LEASE} from own
   where s.application_id = $1 and (s.account_id, s.slot) = (own.account_id, own.slot)
  returning s.slot, s.lease_id, coalesce(s.wanted_until > clock_timestamp(), false) as is_wanted`;

/** $5: limits of the accounts. */
const LACKING = `
  select held.slot, held.lease_id
    from unnest($2::text[], $3::int[], $4::uuid[], $5::int[]) as held (account_id, slot, lease_id, most)
   where (select count(*) filter (where s.leased_until > clock_timestamp()) >= held.most
                 or bool_or(s.slot = held.slot and s.lease_id = held.lease_id and s.wanted_until > clock_timestamp())
            from provider_slot s where s.application_id = $1 and s.account_id = held.account_id)`;

const GIVE_BACK = `${OWN}
  update provider_slot s set leased_until = clock_timestamp() from own
   where s.application_id = $1 and (s.account_id, s.slot) = (own.account_id, own.slot)`;
