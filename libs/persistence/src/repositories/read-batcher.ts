type Waiter<Row> = Map<string, PromiseWithResolvers<Row | undefined>>;

/**
 * Batches the reads of one tick into one statement per application: under load a round trip costs more than the rest of
 * a read. The statement starts after the last call, so each caller sees all rows committed before its own. Callers with
 * the same id share one row and must not change it.
 */
export class ReadBatcher<Row extends { id: string }> {
  private readonly waiting = new Map<string, Waiter<Row>>();

  /** `load` gets distinct lower-case ids and returns the rows that exist. */
  constructor(private readonly load: (applicationId: string, ids: string[]) => Promise<Row[]>) {}

  async find(applicationId: string, id: string): Promise<Row | undefined> {
    let waiting = this.waiting.get(applicationId);
    if (waiting === undefined) {
      waiting = new Map();
      this.waiting.set(applicationId, waiting);
      setImmediate(() => void this.send(applicationId));
    }
    const key = id.toLowerCase();
    let found = waiting.get(key);
    if (found === undefined) {
      found = Promise.withResolvers<Row | undefined>();
      waiting.set(key, found);
    }
    return found.promise;
  }

  private async send(applicationId: string): Promise<void> {
    const waiting = this.waiting.get(applicationId) as Waiter<Row>;
    this.waiting.delete(applicationId);
    try {
      const rows = await this.load(applicationId, [...waiting.keys()]);
      const byId = new Map(rows.map((row) => [row.id, row]));
      for (const [id, { resolve }] of waiting) resolve(byId.get(id));
    } catch (error) {
      for (const { reject } of waiting.values()) reject(error);
    }
  }
}
