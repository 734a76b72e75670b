import {
  Inject,
  Injectable,
  Optional,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import express, { type Request, type RequestHandler, type Response } from 'express';
import type { Observable } from 'rxjs';
import { DomainError } from '#domain/system';
import { contextOf } from './api-context.js';
import { parseJsonBody } from './json-body.js';
import { HttpFailure } from '../errors/envelope.js';

/** Bytes. */
export const BODY_LIMIT_BYTES = Symbol('bodyLimitBytes');

/** Checks the type of a body and parses it. */
export interface BodyFormat {
  /** @throws DomainError ValidationFailed */
  assertType(request: Request): void;
  /** @throws DomainError ValidationFailed */
  parse(bytes: Buffer): Record<string, unknown>;
}

/** A browser page of another origin cannot send JSON without a CORS preflight. */
const JSON_FORMAT: BodyFormat = { assertType: assertJson, parse: parseJsonBody };

/** Runs after the guards, so that unauthenticated callers cause no buffering. */
@Injectable()
export class ReadBodyInterceptor implements NestInterceptor {
  private readonly readBytes: RequestHandler;

  constructor(
    @Inject(BODY_LIMIT_BYTES) private readonly limitBytes: number,
    @Optional() private readonly format: BodyFormat = JSON_FORMAT,
  ) {
    this.readBytes = express.raw({ type: () => true, limit: limitBytes });
  }

  async intercept(execution: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = execution.switchToHttp();
    const request = http.getRequest<Request>();
    if (hasBody(request)) {
      this.format.assertType(request);
      const bytes = await this.read(request, http.getResponse<Response>());
      contextOf(request).rawBody = bytes;
      request.body = bytes.length === 0 ? undefined : this.format.parse(bytes);
    }
    return next.handle();
  }

  private read(request: Request, response: Response): Promise<Buffer> {
    if (Number(request.headers['content-length']) > this.limitBytes) return Promise.reject(closeAfterTooLarge(request));
    return new Promise((resolve, reject) => {
      // body-parser reports an oversized body only at its end, which may never come.
      let receivedBytes = 0;
      request.on('data', (chunk: Buffer) => {
        const isKnown = receivedBytes > this.limitBytes;
        receivedBytes += chunk.length;
        if (!isKnown && receivedBytes > this.limitBytes) reject(closeAfterTooLarge(request));
      });
      void this.readBytes(request, response, (error?: unknown) => {
        if (error === undefined || error === null) resolve(Buffer.isBuffer(request.body) ? request.body : EMPTY);
        else reject(bodyFailure(error));
      });
    });
  }
}

const EMPTY = Buffer.alloc(0);

/** Time for the rest of a rejected request. An immediate close would lose the response. */
const LINGER_MS = 1_000;

function closeAfterTooLarge(request: Request): DomainError {
  setTimeout(() => {
    if (!request.complete) request.socket.destroy();
  }, LINGER_MS).unref();
  return tooLarge();
}

function tooLarge(): DomainError {
  return new DomainError('PayloadTooLarge', 'The request body is too large.');
}

/** RFC 9112 §6. */
export function hasBody({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** Accepts `application/json` and `…+json` (RFC 6839) in UTF-8 (RFC 8259 §8.1). */
function assertJson({ headers }: Request): void {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((text) => text.trim()).find((text) => text.startsWith('charset='));
  const isJson = /^application\/(?:[\w.!#$&^-]+\+)?json$/.test(type.trim());
  if (!isJson || (charset !== undefined && !/^charset="?utf-8"?$/.test(charset))) {
    throw new HttpFailure('ValidationFailed', 'Send the body as application/json in UTF-8.', 415);
  }
}

/** The field `type` identifies errors of body-parser (http-errors). */
function bodyFailure(error: unknown): Error {
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large') return tooLarge();
  if (type === 'encoding.unsupported') {
    return new HttpFailure('ValidationFailed', 'The Content-Encoding is not supported.', 415);
  }
  if (status !== undefined && status < 500) {
    return new HttpFailure('ValidationFailed', 'The request body could not be read.', 400, { cause: error });
  }
  return error as Error;
}
