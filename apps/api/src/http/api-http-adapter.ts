import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { LoadShedder } from '../overload/load-shedder.js';
import { answerRawErrors } from './raw-errors.js';

/** Page and sync tokens travel in the query string; the default of 16 KiB is too narrow for them. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Express on a server with settings of our own, whose own errors are answered in our envelope too. */
export class ApiHttpAdapter extends ExpressAdapter {
  private readonly unanswered = new Set<ServerResponse>();
  private isLeaving = false;

  /** @param headers names and values, of every answer */
  constructor(
    readonly shedder: LoadShedder,
    private readonly headers: readonly (readonly string[])[],
  ) {
    super();
  }

  /**
   * From now on every answer says that its connection ends with it, also when its request came before: the next request
   * belongs to another instance.
   */
  endConnections(): void {
    this.isLeaving = true;
    for (const response of this.unanswered) response.shouldKeepAlive = false;
  }

  override initHttpServer(): void {
    const application = this.getInstance<RequestListener>();
    const server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 15_000,
        requestTimeout: 60_000,
        // Longer than the usual 60 s of a load balancer: it, not we, closes an idle connection first.
        keepAliveTimeout: 65_000,
        // Node answers a missing Host with an empty 400 of its own, past every handler; nothing here reads the host.
        requireHostHeader: false,
      },
      (request, response) => {
        if (this.isLeaving) response.shouldKeepAlive = false;
        // Ahead of Express: turning a request away must cost a small part of answering it.
        if (!this.shedder.admits(request, response)) return;
        this.unanswered.add(response);
        response.once('close', () => this.unanswered.delete(response));
        application(request, response);
      },
    );
    server.once('close', () => this.shedder.stop());
    answerRawErrors(server, this.headers);
    this.setHttpServer(server);
  }
}
