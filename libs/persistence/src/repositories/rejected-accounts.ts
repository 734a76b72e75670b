/** Maximum age of the list: far below the time between a rejection and its confirmation. */
const KNOWN_FOR_MS = 5_000;

/** Caches the recently rejected accounts, so that a success, by far the most frequent result, needs no statement. */
export class RejectedAccounts {
  private known = new Set<string>();
  private readAtMs = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly read: () => Promise<string[]>,
    private readonly nowMs: () => number,
  ) {}

  async has(accountId: string): Promise<boolean> {
    if (this.nowMs() - this.readAtMs >= KNOWN_FOR_MS) await this.refresh();
    return this.known.has(accountId);
  }

  add(accountId: string): void {
    this.known.add(accountId);
  }

  delete(accountId: string): void {
    this.known.delete(accountId);
  }

  private refresh(): Promise<void> {
    this.reading ??= this.replace().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async replace(): Promise<void> {
    const startedAtMs = this.nowMs();
    // Accounts added during the read may be missing in its result.
    const before = this.known;
    this.known = new Set(before);
    const listed = await this.read();
    const added = [...this.known].filter((accountId) => !before.has(accountId));
    this.known = new Set([...listed, ...added]);
    this.readAtMs = startedAtMs;
  }
}
