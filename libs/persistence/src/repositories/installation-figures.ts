import { Injectable } from '@nestjs/common';
import { InstallationFigures, type InstallationCounts, type ProviderType } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { COUNTS } from './counted.statements.js';

interface CountsRow extends Omit<InstallationCounts, 'looks' | 'messages'> {
  dueLooks: number;
  oldestDueLookSeconds: number;
  unsettled: number;
  scheduled: number;
}

@Injectable()
export class SqlInstallationFigures extends InstallationFigures {
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
    const { dueLooks, oldestDueLookSeconds, unsettled, scheduled, ...counts } = row;
    return {
      ...counts,
      looks: { due: dueLooks, oldestDueSeconds: oldestDueLookSeconds },
      messages: { due: unsettled - scheduled, scheduled },
    };
  }
}
