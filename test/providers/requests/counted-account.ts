import type { CalendarProvider, AccountSession } from '#domain/providers';
import { Egress, GuardedEgress, type OutboundRequest, type Trust } from '#egress';

/** Counts the HTTP requests that leave the process. */
export class CountingEgress extends Egress {
  readonly #seen: string[] = [];

  constructor(private readonly inner = new GuardedEgress({ allow: '127.0.0.0/8' })) {
    super();
  }

  /** Returns method and path of each request since the last call. */
  taken(): string[] {
    return this.#seen.splice(0);
  }

  override request(request: OutboundRequest) {
    this.#note(request);
    return this.inner.request(request);
  }

  override stream(request: OutboundRequest) {
    this.#note(request);
    return this.inner.stream(request);
  }

  override check(url: string, trust?: Trust): Promise<void> {
    return this.inner.check(url, trust);
  }

  override close(): Promise<void> {
    return this.inner.close();
  }

  #note({ method, url }: OutboundRequest): void {
    this.#seen.push(`${method} ${new URL(url).pathname}`);
  }
}

/** A connected account at a provider that counts its requests. */
export interface CountedAccount {
  egress: CountingEgress;
  session: AccountSession;
  /** Returns a provider whose caches are empty. */
  provider(): CalendarProvider;
  close(): Promise<void>;
}
