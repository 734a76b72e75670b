import { Injectable } from '@nestjs/common';
import { MassExpiryRepository, type RefreshStats, type ProviderType } from '#domain/accounts';
import { Database, type Statement } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { HOLD, IS_SUSPECT, MAY_PROBE, RECORD_OUTCOME, RELEASE_HOLD, TALLY } from './grants.statements.js';

type GrantClient = { providerType: ProviderType; clientId: string };

/** Writes outside a transaction of the caller, so that other processes see the outcome at once. */
@Injectable()
export class SqlMassExpiryRepository extends MassExpiryRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override async record(
    { providerType, clientId }: GrantClient,
    accountId: string,
    outcome: 'refreshed' | 'rejected',
  ): Promise<RefreshStats> {
    await this.write({ text: RECORD_OUTCOME, values: [providerType, clientId, accountId, outcome === 'rejected'] });
    // A separate statement: of several concurrent writers, the last one to commit counts all of them.
    const [tally] = await this.read<RefreshStats>({ text: TALLY, values: [providerType, clientId] });
    return tally ?? { decided: 0, rejected: 0, breakerTrippedSince: null };
  }

  override async trip({ providerType, clientId }: GrantClient): Promise<boolean> {
    return this.write({ text: HOLD, values: [providerType, clientId] });
  }

  override async release({ providerType, clientId }: GrantClient): Promise<boolean> {
    return this.write({ text: RELEASE_HOLD, values: [providerType, clientId] });
  }

  override async mayProbe({ providerType, clientId }: GrantClient, everyMs: number): Promise<boolean> {
    return this.write({ text: MAY_PROBE, values: [providerType, clientId, everyMs] });
  }

  override async breakerTrippedSince({ providerType, clientId }: GrantClient): Promise<Date | null> {
    const trippedRow = await this.database.detached(() =>
      this.entities.query(SYSTEM, (tables) =>
        tables
          .selectFrom('MassExpiryBreaker')
          .select('breakerTrippedSince')
          .where('providerType', '=', providerType)
          .where('clientId', '=', clientId)
          .executeTakeFirst(),
      ),
    );
    return trippedRow?.breakerTrippedSince ?? null;
  }

  override async isRejected({ providerType, clientId }: GrantClient, accountId: string): Promise<boolean> {
    return (await this.read({ text: IS_SUSPECT, values: [providerType, clientId, accountId] })).length > 0;
  }

  private read<Row>(statement: Statement): Promise<Row[]> {
    return this.database.detached(() => this.database.read<Row>(SYSTEM, statement));
  }

  private async write(statement: Statement): Promise<boolean> {
    return (await this.database.detached(() => this.database.write(SYSTEM, statement))).count > 0;
  }
}
