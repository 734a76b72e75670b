import {
  Injectable,
  RequestMethod,
  UseInterceptors,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
  type Type,
} from '@nestjs/common';
import { METHOD_METADATA } from '@nestjs/common/constants.js';
import type { Observable } from 'rxjs';
import { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { IgnoredFieldsInterceptor } from './ignored-fields.interceptor.js';
import { ReadBodyInterceptor } from './read-body.interceptor.js';

/**
 * What surrounds every handler that is not a read, in this order: the body is part of what an Idempotency-Key stands
 * for. One interceptor and not three, and on no read: Nest builds a chain of observables around a handler for each one
 * that it finds, whether that has anything to do or not, and this was the largest part of the work of a read.
 */
@Injectable()
export class WriteInterceptor implements NestInterceptor {
  constructor(
    private readonly body: ReadBodyInterceptor,
    private readonly idempotency: IdempotencyInterceptor,
    private readonly ignoredFields: IgnoredFieldsInterceptor,
  ) {}

  intercept(execution: ExecutionContext, handler: CallHandler): Promise<Observable<unknown>> {
    const named: CallHandler = { handle: () => this.ignoredFields.intercept(execution, handler) };
    const once: CallHandler = { handle: () => this.idempotency.intercept(execution, named) };
    return this.body.intercept(execution, once);
  }
}

/** Puts the {@link WriteInterceptor} on every handler of these controllers but those of GET (and so of HEAD). */
export function interceptWrites(controllers: Type<object>[]): Type<object>[] {
  for (const { prototype } of controllers as { prototype: object }[]) {
    for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
      const handler: unknown = descriptor.value;
      if (typeof handler !== 'function') continue;
      const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
      if (method === undefined || method === RequestMethod.GET) continue;
      UseInterceptors(WriteInterceptor)(prototype, name, descriptor);
    }
  }
  return controllers;
}
