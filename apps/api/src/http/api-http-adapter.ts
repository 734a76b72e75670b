import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { LoadShedder } from '../overload/load-shedder.js';
import { handleRawErrors } from './raw-errors.js';

/** Page and sync tokens in the query string exceed Node's default of 16 KiB. */
const MAX_HEADER_BYTES = 32 * 1024;

export class ApiHttpAdapter extends ExpressAdapter {
  private readonly openResponses = new Set<ServerResponse>();
  private isLeaving = false;

  /** @param headers name-value pairs of every response */
  constructor(
    readonly shedder: LoadShedder,
    private readonly headers: readonly (readonly string[])[],
  ) {
    super();
  }

  /** Ends each connection with its current or next response, so that further requests reach another process. */
  endConnections(): void {
    this.isLeaving = true;
    for (const response of this.openResponses) response.shouldKeepAlive = false;
  }

  override initHttpServer(): void {
    const application = this.getInstance<RequestListener>();
    const server = createServer(
      {
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 15_000,
        requestTimeout: 60_000,
        // Longer than the usual 60 s of a load balancer, which must close idle connections first.
        keepAliveTimeout: 65_000,
        // Node would reject a missing Host with an empty 400, past every handler. The API never reads Host.
        requireHostHeader: false,
      },
      (request, response) => {
        if (this.isLeaving) response.shouldKeepAlive = false;
        // Runs before Express: shedding must cost a small part of a response.
        if (!this.shedder.admits(request, response)) return;
        this.openResponses.add(response);
        response.once('close', () => this.openResponses.delete(response));
        application(request, response);
      },
    );
    server.once('close', () => this.shedder.stop());
    handleRawErrors(server, this.headers);
    this.setHttpServer(server);
  }
}
