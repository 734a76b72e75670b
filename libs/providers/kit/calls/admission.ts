import type { AccountSession, ProviderBudget, ProviderSlots } from '#domain';

/** What one account may ask of its provider, over all processes. */
export interface AccountLimits {
  budget: ProviderBudget;
  requestsPerMinute: number;
  /** Requests of one account at a time; undefined where the provider sets no limit. */
  slots?: { pool: ProviderSlots; size: number };
}

/** Lets the requests of one session through, within the limits of its account. */
export class Admission {
  constructor(
    private readonly limits: AccountLimits,
    private readonly session: Pick<AccountSession, 'applicationId' | 'accountId' | 'signal'>,
  ) {}

  /** Takes requests from the account's budget. @throws DomainError RateLimited */
  async take(requests = 1): Promise<void> {
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
    const { slots } = this.limits;
    const { applicationId, accountId, signal } = this.session;
    return slots === undefined ? attempt() : slots.pool.hold({ applicationId, accountId }, slots.size, signal, attempt);
  }
}
