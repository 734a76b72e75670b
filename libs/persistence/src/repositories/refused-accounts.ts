/** How old the list may be. Far below the time between a refusal and its confirmation. */
const KNOWN_FOR_MS = 5_000;

/**
 * The few accounts of an application that were refused lately, in whichever process: so that a success, which is what
 * almost every call is, needs no statement to find out that there is nothing to forget.
 */
export class RefusedAccounts {
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
    // What is added while the list is read may be missing in it.
    const before = this.known;
    this.known = new Set(before);
    const listed = await this.read();
    const added = [...this.known].filter((accountId) => !before.has(accountId));
    this.known = new Set([...listed, ...added]);
    this.readAtMs = startedAtMs;
  }
}
