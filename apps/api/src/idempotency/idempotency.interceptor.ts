import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { from, Observable } from 'rxjs';
import { lastValueFrom } from 'rxjs';
import { IdempotencyRepository, type IdempotencyKeyScope, type StoredResponse } from '#domain/applications';
import { DomainError, invalid } from '#domain/system';
import { contextOf } from '../http/api-context.js';
import { IGNORED_FIELDS_HEADER } from '../http/ignored-fields.interceptor.js';

export const IDEMPOTENCY_KEY = /^[ -~]{1,255}$/;

/** Time after which another request takes over a dead claim, milliseconds: above the time limit of a request. */
export const CLAIM_MS = Symbol('claimMs');

/** Interval of retries to write a record. */
const RETRY_INTERVAL_MS = 500;

const STORED_HEADERS = [IGNORED_FIELDS_HEADER];

/** Replays the response of the first POST with a key. Stores no failures, so that callers can retry them. */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly logger = new Logger(IdempotencyInterceptor.name);

  constructor(
    private readonly records: IdempotencyRepository,
    @Inject(CLAIM_MS) private readonly lockMs: number,
  ) {}

  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = execution.switchToHttp();
    const request = http.getRequest<Request>();
    const key = idempotencyKeyOf(request);
    if (key === undefined) return next.handle();
    return from(this.once(key, request, http.getResponse<Response>(), next));
  }

  private async once(key: string, request: Request, response: Response, next: CallHandler): Promise<unknown> {
    const { caller, rawBody } = contextOf(request);
    if (caller === undefined) return lastValueFrom(next.handle());
    const scope: IdempotencyKeyScope = { applicationId: caller.applicationId, key };
    const fingerprint = digest(caller.applicationId, request.method, request.originalUrl, rawBody ?? '');
    const claim = await this.records.claim(scope, fingerprint, this.lockMs);
    switch (claim.state) {
      case 'claimed':
        return this.run(scope, claim.claimId, response, next);
      case 'completed':
        return replay(claim.response, response);
      case 'mismatch':
        throw new DomainError('IdempotencyKeyReused', 'This Idempotency-Key was used with another request.');
      case 'inFlight':
        throw new DomainError('Conflict', 'A request with this Idempotency-Key is still running.', {
          retryAfterSeconds: claim.retryAfterSeconds,
        });
    }
  }

  private async run(
    scope: IdempotencyKeyScope,
    claimId: string,
    response: Response,
    next: CallHandler,
  ): Promise<unknown> {
    let result: unknown;
    try {
      result = await lastValueFrom(next.handle());
    } catch (error) {
      await this.tidy('release', () => this.records.release(scope, claimId));
      throw error;
    }
    const stored: StoredResponse = {
      status: response.statusCode,
      headers: storedHeaders(response),
      body: JSON.stringify(result),
    };
    await this.tidy('complete', () => this.records.complete(scope, claimId, stored));
    return result;
  }

  /** Never fails: the work has finished, and the caller must receive its outcome even without a record. */
  private async tidy(step: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.logger.error({ err: error, step }, 'the record of an Idempotency-Key could not be written');
      void this.tidyLater(work);
    }
  }

  /** Repetitions receive `Conflict` until the claim expires. Later ones run again and providers recognize their key. */
  private async tidyLater(work: () => Promise<void>): Promise<void> {
    const endMs = performance.now() + this.lockMs;
    let isDone = false;
    while (!isDone && performance.now() < endMs) {
      await sleep(RETRY_INTERVAL_MS, undefined, { ref: false });
      isDone = await work().then(
        () => true,
        () => false, // already logged
      );
    }
  }
}

/** @throws DomainError ValidationFailed */
export function idempotencyKeyOf({ method, headers }: Request): string | undefined {
  if (method !== 'POST') return undefined;
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || !IDEMPOTENCY_KEY.test(key)) {
    throw invalid('Idempotency-Key', 'must have 1 to 255 printable ASCII characters');
  }
  return key;
}

export function digest(...parts: (string | Buffer)[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return hash.digest('hex');
}

function storedHeaders(response: Response): Record<string, string> {
  return Object.fromEntries(
    STORED_HEADERS.flatMap((name) => {
      const value = response.getHeader(name);
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

function replay({ status, headers, body }: StoredResponse, response: Response): unknown {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('idempotency-replayed', 'true');
  response.status(status);
  return JSON.parse(body);
}
