import { calendar_v3 } from '@googleapis/calendar';
import type { CallPolicy, Repeat } from '#providers/kit/calls';
import { Transport, type TransportOptions } from './transport.js';

export interface GoogleClientOptions extends TransportOptions {
  policy: CallPolicy;
  /** Takes one request from the account's budget. @throws DomainError RateLimited */
  takeBudget: () => Promise<void>;
}

/** The official client over the guarded egress, with one access token. */
export class GoogleClient {
  private readonly transport: Transport;
  readonly api: calendar_v3.Calendar;

  constructor(private readonly options: GoogleClientOptions) {
    this.transport = new Transport(options);
    this.api = new calendar_v3.Calendar({
      auth: this.transport as unknown as calendar_v3.Options['auth'],
      // Otherwise the environment could name another host.
      universeDomain: 'googleapis.com',
    });
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
      send: (attempt) => this.transport.as(attempt, send),
    });
    return data;
  }
}
