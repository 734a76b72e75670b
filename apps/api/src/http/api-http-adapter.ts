import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import type { LoadShedder } from '../overload/load-shedder.js';
import { answerRawErrors } from './raw-errors.js';

/** Page and sync tokens travel in the query string; the default of 16 KiB is too narrow for them. */
const MAX_HEADER_BYTES = 32 * 1024;
const OK = 200;

/** Express on a server whose own errors are answered in our envelope too, with a short way for the usual answer. */
export class ApiHttpAdapter extends ExpressAdapter {
  private isLeaving = () => false;

  /** @param headers names and values, of every answer */
  constructor(
    readonly shedder: LoadShedder,
    private readonly headers: readonly (readonly string[])[],
  ) {
    super();
  }

  /**
   * @param isLeaving from when on every answer says that its connection ends with it, one that was begun before as well: the
   *   next request belongs to another instance
   */
  endConnectionsWhile(isLeaving: () => boolean): void {
    this.isLeaving = isLeaving;
  }

  override initHttpServer(): void {
    const application = this.getInstance<ExpressFunction>();
    const { shedder } = this;
    const server = createServer(
      {
        ...messageClasses(application, () => this.isLeaving()),
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 15_000,
        requestTimeout: 60_000,
        // Longer than the usual 60 s of a load balancer: it, not we, closes an idle connection first.
        keepAliveTimeout: 65_000,
        // Node answers a missing Host with an empty 400 of its own, past every handler; nothing here reads the host.
        requireHostHeader: false,
      },
      withinMeans(application, shedder),
    );
    server.once('close', () => shedder.stop());
    answerRawErrors(server, this.headers);
    this.setHttpServer(server);
  }

  /** Objects, answered with 200, need nothing of what Express finds out about a body before it sends it. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (!isUsual(response, body, statusCode)) return super.reply(response, body, statusCode) as unknown;
    const text = JSON.stringify(body);
    response.statusCode = OK;
    response.setHeader('content-type', 'application/json; charset=utf-8');
    response.setHeader('content-length', Buffer.byteLength(text));
    // Node leaves the body out for HEAD.
    return response.end(text);
  }
}

/** Ahead of Express: turning a request away must cost a small part of answering it. */
function withinMeans(application: RequestListener, shedder: LoadShedder): RequestListener {
  return (request, response) => {
    if (shedder.admits(request, response)) application(request, response);
  };
}

/** What Express publishes of an application as the prototypes of its requests and responses. */
type ExpressFunction = RequestListener & { request: IncomingMessage; response: ServerResponse };

/**
 * Classes of requests and responses that are born as what Express makes of them. It gives each of both another prototype,
 * which costs V8 a new shape for every one and the fast access to its properties: 4 % of a small read.
 */
function messageClasses(application: ExpressFunction, isLeaving: () => boolean) {
  class ApiRequest extends IncomingMessage {}
  class ApiResponse extends ServerResponse<ApiRequest> {
    // Every answer passes here, and no earlier is it known whether the process is to end.
    override writeHead(...head: unknown[]): this {
      if (isLeaving()) this.shouldKeepAlive = false;
      return (super.writeHead as (...head: unknown[]) => this).apply(this, head);
    }
  }
  Object.setPrototypeOf(ApiRequest.prototype, application.request);
  Object.setPrototypeOf(ApiResponse.prototype, application.response);
  application.request = ApiRequest.prototype;
  application.response = ApiResponse.prototype;
  return { IncomingMessage: ApiRequest, ServerResponse: ApiResponse };
}

function isUsual(response: Response, body: unknown, statusCode = response.statusCode): body is object {
  return (
    typeof body === 'object' &&
    body !== null &&
    statusCode === OK &&
    !(body instanceof StreamableFile) &&
    !response.hasHeader('content-type') &&
    // Express judges conditions (RFC 9110 §13.1.2).
    response.req.headers['if-none-match'] === undefined
  );
}
