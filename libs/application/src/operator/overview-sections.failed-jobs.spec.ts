import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEntry } from '#domain/operator';
import type { QueueMonitor } from '#domain/system';
import { actAs } from '../system/actor.js';
import { FailedJobsService } from './overview-sections.js';

let audited: AuditEntry[];
beforeEach(() => void (audited = []));

function serviceOf(board: Partial<QueueMonitor>) {
  const audit = { record: async (entry: AuditEntry) => void audited.push(entry) };
  return new FailedJobsService(board as QueueMonitor, audit);
}

describe('failed jobs', () => {
  it('are listed with when they failed', async () => {
    const job = { queue: 'q', id: '1', name: 'deliver', attempts: 1, reason: 'away' };
    const jobs = await serviceOf({
      failed: async (limit) => [{ ...job, name: `${limit}`, failedAt: new Date(0) }],
    }).list();
    expect(jobs).toEqual([{ ...job, name: '100', failedAt: new Date(0) }]);
  });

  it('are run again by somebody', async () => {
    const jobs = serviceOf({ redrive: async (_, jobId) => (jobId === null ? 3 : 1) });
    const ada = { actor: 'operator:ada@example.com', requestId: 'r' };
    expect(await actAs(ada, () => jobs.redrive('housekeeping'))).toEqual({ redriven: 3 });
    expect(await actAs(ada, () => jobs.redrive('housekeeping', '7'))).toEqual({ redriven: 1 });
    expect(audited).toEqual([
      { applicationId: null, action: 'failed-jobs.redriven', subject: 'queue:housekeeping', ...ada },
      { applicationId: null, action: 'failed-jobs.redriven', subject: 'job:housekeeping/7', ...ada },
    ]);
  });

  it('are not there in a queue that is not, and no more when they were run again', async () => {
    await expect(serviceOf({ redrive: async () => null }).redrive('other')).rejects.toMatchObject({ code: 'NotFound' });
    const none = serviceOf({ redrive: async () => 0 });
    await expect(none.redrive('housekeeping', '7')).rejects.toMatchObject({ code: 'NotFound' });
    expect(audited).toEqual([]);
    expect(await none.redrive('housekeeping')).toEqual({ redriven: 0 });
  });
});
