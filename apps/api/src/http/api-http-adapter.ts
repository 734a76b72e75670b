import { createServer, type RequestListener } from 'node:http';
import type { NestApplicationOptions } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import { answerRawErrors } from './raw-errors.js';

/** Page and sync tokens travel in the query string; the default of 16 KiB is too narrow for them. */
const MAX_HEADER_BYTES = 32 * 1024;

/** Express on a server whose own errors are answered in our envelope too. */
export class ApiHttpAdapter extends ExpressAdapter {
  override initHttpServer(_options: NestApplicationOptions): void {
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
      this.getInstance<RequestListener>(),
    );
    answerRawErrors(server);
    this.setHttpServer(server);
  }
}
