import { randomUUID } from 'node:crypto';
import type { AccountSession, ConnectRequest, ProviderBudget, ProviderSlots } from '#domain';

/** What one account may ask of its provider, over all processes. */
export interface AccountLimits {
  budget: ProviderBudget;
  requestsPerMinute: number;
  /** Requests of one account at a time; undefined where the provider sets no limit. */
  slots?: { pool: ProviderSlots; size: number };
}

/** Lets the requests of one session through, within the limits of its account. */
export class Admission {
  /** @param limits null for somebody who is no account yet */
  constructor(
    private readonly limits: AccountLimits | null,
    private readonly session: Pick<AccountSession, 'applicationId' | 'accountId' | 'signal'>,
  ) {}

  /** Takes requests from the account's budget. @throws DomainError RateLimited */
  async take(requests = 1): Promise<void> {
    if (this.limits === null) return;
    const { applicationId, accountId, signal } = this.session;
    const { budget, requestsPerMinute } = this.limits;
    for (let taken = 0; taken < requests; taken += 1) {
      await budget.take({ applicationId, accountId }, requestsPerMinute, signal);
    }
  }

  /** Runs one try, in a slot of the account. @param requests that it counts for. @throws DomainError RateLimited */
  async run<T>(requests: number, attempt: () => Promise<T>): Promise<T> {
    // Requests that wait for the budget hold no slot.
    await this.take(requests);
    const slots = this.limits?.slots;
    const { applicationId, accountId, signal } = this.session;
    return slots === undefined ? attempt() : slots.pool.hold({ applicationId, accountId }, slots.size, signal, attempt);
  }
}

/** The session of somebody who is no account yet. It shares no connections with anybody. */
export function connectingSession(request: ConnectRequest): AccountSession {
  return { ...request, accountId: randomUUID(), providerState: null, saveProviderState: () => Promise.resolve() };
}
