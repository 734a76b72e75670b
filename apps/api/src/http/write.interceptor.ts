import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { contextOf } from './api-context.js';
import { IgnoredFieldsInterceptor } from './ignored-fields.interceptor.js';
import { ReadBodyInterceptor } from './read-body.interceptor.js';

/**
 * The fingerprint of an Idempotency-Key includes the body, which is read first. One interceptor instead of three,
 * because Nest builds a chain of observables for each.
 */
@Injectable()
export class WriteInterceptor implements NestInterceptor {
  constructor(
    private readonly body: ReadBodyInterceptor,
    private readonly idempotency: IdempotencyInterceptor,
    private readonly ignoredFields: IgnoredFieldsInterceptor,
  ) {}

  intercept(execution: ExecutionContext, handler: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<Request>();
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (isRead || contextOf(request).caller === undefined) return handler.handle();
    const named: CallHandler = { handle: () => this.ignoredFields.intercept(execution, handler) };
    const once: CallHandler = { handle: () => this.idempotency.intercept(execution, named) };
    return this.body.intercept(execution, once);
  }
}
