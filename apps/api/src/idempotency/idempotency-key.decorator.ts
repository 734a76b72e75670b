import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { contextOf } from '../http/api-context.js';
import { digest, idempotencyKeyOf } from './idempotency.interceptor.js';

/**
 * A key that is the same for every repetition of a request and differs between applications and paths: writes derive
 * their identity at the provider from it. undefined when the caller sent no `Idempotency-Key`.
 */
export const IdempotencyKey = createParamDecorator((_: unknown, execution: ExecutionContext): string | undefined => {
  const request = execution.switchToHttp().getRequest<Request>();
  const key = idempotencyKeyOf(request);
  const { caller } = contextOf(request);
  if (key === undefined || caller === undefined) return undefined;
  return digest(caller.applicationId, key, request.path);
});
