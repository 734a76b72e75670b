import { SyncTokenExpired } from './errors.js';
import { pagesOf, type Page } from './pages.js';

export interface SyncOptions {
  /** When the sync token is too old: read everything again, instead of throwing {@link SyncTokenExpired}. */
  startOver?: boolean | undefined;
}

interface SyncPage<Item> extends Page<Item> {
  nextSyncToken?: string | null;
}

type ReadPage<Item> = (tokens: { syncToken?: string; pageToken?: string }) => Promise<SyncPage<Item>>;

/** What changed since a sync token, or everything without one; then, where to go on the next time. */
export class Sync<Item> implements AsyncIterable<Item> {
  #hasStartedOver = false;
  /** Undefined until the end was read. */
  #nextSyncToken: string | null | undefined;

  constructor(
    private readonly read: ReadPage<Item>,
    private readonly syncToken: string | undefined,
    private readonly options: SyncOptions = {},
  ) {}

  /** Whether the sync token was too old, and all is read again: what was not yielded this time is gone. */
  get hasStartedOver(): boolean {
    return this.#hasStartedOver;
  }

  /**
   * Where to go on the next time; null where the service gives none (MICROSOFT events without a window).
   * @throws Error before everything was read
   */
  get nextSyncToken(): string | null {
    if (this.#nextSyncToken === undefined) throw new Error('There is no next sync token before everything was read.');
    return this.#nextSyncToken;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    try {
      yield* this.#since(this.syncToken);
    } catch (error) {
      const isFirst = this.syncToken !== undefined;
      if (!(error instanceof SyncTokenExpired) || this.options.startOver !== true || !isFirst) throw error;
      this.#hasStartedOver = true;
      yield* this.#since(undefined);
    }
  }

  async *#since(syncToken: string | undefined): AsyncGenerator<Item, void, undefined> {
    for await (const page of pagesOf((pageToken) => this.read({ syncToken, pageToken }))) {
      yield* page.data;
      if (page.nextPageToken == null) this.#nextSyncToken = page.nextSyncToken ?? null;
    }
  }
}
