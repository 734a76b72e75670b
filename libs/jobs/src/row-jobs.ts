import type { BulkJobOptions } from 'bullmq';
import { isUuid } from '#domain';
import { DEFAULT_JOB_OPTIONS, InvalidJobPayload, type JobDefinition } from './job-definition.js';

export type RowPayload<Id extends string> = Record<'applicationId' | Id, string>;

/** A job for one row, which has the schedule and outlives the queue. */
export interface RowJob<Id extends string> extends JobDefinition<RowPayload<Id>> {
  /** As `addBulk` takes it. A row whose job waits or runs gets no other. */
  toBulk(payload: RowPayload<Id>): { name: string; data: RowPayload<Id>; opts: BulkJobOptions };
}

function rowJob<Id extends string>(queue: string, name: string, rowId: Id): RowJob<Id> {
  const options = { ...DEFAULT_JOB_OPTIONS, attempts: 1, removeOnComplete: true };
  return {
    queue,
    name,
    options,
    parse(data) {
      const { applicationId, [rowId]: id } = (data ?? {}) as Record<string, unknown>;
      if (!isUuid(applicationId) || !isUuid(id)) {
        throw new InvalidJobPayload(`this job takes applicationId and ${rowId}, as UUIDs`);
      }
      return { applicationId, [rowId]: id } as RowPayload<Id>;
    },
    toBulk: (data) => ({ name, data, opts: { ...options, deduplication: { id: data[rowId] } } }),
  };
}

export const accountCheck = rowJob('account-check', 'check', 'accountId');
export const channelRenewal = rowJob('channel-renewal', 'keep', 'watchedCalendarId');
export const tokenRevocation = rowJob('token-revocation', 'revoke', 'revocationId');
