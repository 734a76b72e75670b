import { EmbeddedPostgres } from '#persistence';
import type { Part } from './part.js';

/** The database of a machine that has none: PostgreSQL from npm packages, its files below the data directory. */
export class DatabasePart implements Part {
  readonly name = 'database';
  private server: EmbeddedPostgres | undefined;
  private port: number | undefined;
  private ended: Promise<void> = new Promise(() => undefined);
  private connection: string | undefined;

  constructor(private readonly directory: string) {}

  /** Stays the same when the server is started again. */
  get url(): string {
    if (this.connection === undefined) throw new Error('the database has not been started');
    return this.connection;
  }

  async start(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.server?.stop();
    let end: () => void = () => undefined;
    this.ended = new Promise((resolve) => (end = resolve));
    const server = new EmbeddedPostgres({
      directory: this.directory,
      ...(this.port === undefined ? {} : { port: this.port }),
      onExit: end,
    });
    this.server = server;
    const { url, port } = await server.start();
    this.connection = url;
    this.port = port;
  }

  died(): Promise<void> {
    return this.ended;
  }

  async stop(): Promise<void> {
    await this.server?.stop();
  }

  /** PostgreSQL is not killed: stopping it takes well below a second, and leaves nothing to recover. */
  kill(): void {}
}
