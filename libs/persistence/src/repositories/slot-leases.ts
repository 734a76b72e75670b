import { randomUUID } from 'node:crypto';
import { DomainError } from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database, type Statement } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { GIVE_BACK_SLOTS, LACKING_SLOTS, RENEW_SLOTS, TAKE_SLOT } from './limits.statements.js';

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

/** Who holds which slot, in one table, on the database's clock. Nothing here is part of a caller's transaction. */
export class SlotLeases {
  private readonly processId = randomUUID();

  constructor(private readonly database: Database) {}

  /**
   * Takes up to `count` of the slots 1 to `limit` for the time of a lease. When there is none, the one that others have
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
          text: TAKE_SLOT,
          values: [applicationId, accountId, limit, count, leaseId, this.processId, own],
        }),
      );
      return rows.map(({ slot }) => ({ slot, leaseId }));
    } catch (error) {
      if (isForeignKeyViolation(error)) throw new DomainError('NotFound', 'There is no application with this id.');
      throw error;
    }
  }

  /** @returns those that are still this process's, for the time of a lease from now */
  async renew(applicationId: string, slots: readonly LeasedSlot[]): Promise<RenewedSlot[]> {
    const rows = await this.writeOwn<{ slot: number; lease_id: string; is_wanted: boolean }>(applicationId, slots, {
      name: 'provider-slot-renew',
      text: RENEW_SLOTS,
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
        text: LACKING_SLOTS,
        values: [applicationId, ...columnsOf(slots), slots.map(({ limit }) => limit)],
      }),
    );
    return rows.map(({ slot, lease_id: leaseId }) => ({ slot, leaseId }));
  }

  async giveBack(applicationId: string, slots: readonly LeasedSlot[]): Promise<void> {
    await this.writeOwn(applicationId, slots, { name: 'provider-slot-give-back', text: GIVE_BACK_SLOTS });
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
