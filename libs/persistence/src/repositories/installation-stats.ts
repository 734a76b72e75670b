import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { InstallationStats, type InstallationCounts } from '#domain/system';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { COUNTS } from './sampled-metrics.statements.js';

interface CountsRow extends Omit<InstallationCounts, 'looks' | 'messages'> {
  dueSyncs: number;
  oldestDueSyncSeconds: number;
  unsettled: number;
  scheduled: number;
}

@Injectable()
export class SqlInstallationStats extends InstallationStats {
  constructor(private readonly database: Database) {
    super();
  }

  override async count(pushing: readonly ProviderType[]): Promise<InstallationCounts> {
    const [row] = await this.database.read<CountsRow>(SYSTEM, {
      name: 'installation-counts',
      text: COUNTS,
      values: [pushing],
    });
    if (row === undefined) throw new Error('a select without a table has no row');
    const { dueSyncs, oldestDueSyncSeconds, unsettled, scheduled, ...counts } = row;
    return {
      ...counts,
      syncs: { due: dueSyncs, oldestDueSeconds: oldestDueSyncSeconds },
      messages: { due: unsettled - scheduled, scheduled },
    };
  }
}
