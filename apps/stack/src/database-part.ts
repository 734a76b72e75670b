import { EmbeddedPostgres } from './postgres/embedded-postgres.js';
import type { Part } from './supervisor.js';

export class DatabasePart implements Part {
  readonly name = 'database';
  private server: EmbeddedPostgres | undefined;
  private port: number | undefined;
  private ended: Promise<void> = new Promise(() => undefined);
  private connection: string | undefined;

  constructor(private readonly directory: string) {}

  /** Stays the same after a restart of the server. */
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

  /** Does nothing: PostgreSQL stops well within a second and then needs no recovery. */
  kill(): void {}
}
