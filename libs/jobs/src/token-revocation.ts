import { isUuid } from '#domain/system';
import { DEFAULT_JOB_OPTIONS, InvalidJobPayload, type JobDefinition } from './job-definition.js';

export interface RevocationPayload {
  applicationId: string;
  revocationId: string;
}

export const tokenRevocation: JobDefinition<RevocationPayload> = {
  queue: 'token-revocation',
  name: 'revoke',
  // The row schedules further attempts and outlives the queue.
  options: { ...DEFAULT_JOB_OPTIONS, attempts: 1, removeOnComplete: true },
  parse(data) {
    const { applicationId, revocationId } = (data ?? {}) as Record<string, unknown>;
    if (!isUuid(applicationId) || !isUuid(revocationId)) {
      throw new InvalidJobPayload('a revocation is named by UUIDs');
    }
    return { applicationId, revocationId };
  },
};
