/** Rows that somebody waits for, by id. */
type Waiting<Row> = Map<string, PromiseWithResolvers<Row | undefined>>;

/**
 * Reads of rows by id, gathered: what is asked for within one turn of the event loop is asked of the database with one
 * statement for each application. Under load a turn brings the requests of many callers, and a round trip costs more
 * than everything else that a read does; alone, a read waits for nothing.
 *
 * The statement is sent after everybody has asked, so each sees what was committed before it asked. Whoever asks for
 * the same id gets the same row: it must not be changed.
 */
export class GatheredReads<Row extends { id: string }> {
  private readonly waiting = new Map<string, Waiting<Row>>();

  /** `load`: the rows of that application with these ids (lower case, each once), as far as there are any. */
  constructor(private readonly load: (applicationId: string, ids: string[]) => Promise<Row[]>) {}

  /** `id`: a UUID. */
  async find(applicationId: string, id: string): Promise<Row | undefined> {
    let waiting = this.waiting.get(applicationId);
    if (waiting === undefined) {
      waiting = new Map();
      this.waiting.set(applicationId, waiting);
      // After the sockets that are readable now have been read.
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
    const waiting = this.waiting.get(applicationId) as Waiting<Row>;
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
