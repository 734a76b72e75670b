import type { calendar_v3 } from '@googleapis/calendar';
import type { CallPolicy, Repeat } from '#providers/kit/calls';
import { asAttempt, clientOver, type TransportOptions } from './transport.js';

export interface GoogleClientOptions extends TransportOptions {
  policy: CallPolicy;
  /** Takes one request from the account's budget. @throws DomainError RateLimited */
  takeBudget: () => Promise<void>;
}

/** The official client over the guarded egress, with one access token. */
export class GoogleClient {
  readonly api: calendar_v3.Calendar;

  constructor(private readonly options: GoogleClientOptions) {
    this.api = clientOver(options);
  }

  /** See {@link GoogleConnection.call}. */
  async call<T>(repeat: Repeat, send: () => Promise<{ data: T }>): Promise<T> {
    const { policy, signal, takeBudget } = this.options;
    const { data } = await policy.run({
      repeat,
      signal,
      admit: async (attempt) => {
        await takeBudget();
        return attempt();
      },
      send: (attempt) => asAttempt(attempt, send),
    });
    return data;
  }
}
