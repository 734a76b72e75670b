import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { type ApplicationRef } from '#domain';
import { contextOf, type Caller } from '../http/api-context.js';

function callerOf(execution: ExecutionContext): Caller {
  const { caller } = contextOf(execution.switchToHttp().getRequest<Request>());
  if (caller === undefined) throw new Error('a handler that needs the application is on a public route');
  return caller;
}

/** The application whose key the request carries. */
export const CurrentApplication = createParamDecorator((_: unknown, execution: ExecutionContext): ApplicationRef => ({
  applicationId: callerOf(execution).applicationId,
}));

/** Who acts, as the audit log names them. */
export const CurrentActor = createParamDecorator(
  (_: unknown, execution: ExecutionContext): { actor: string; requestId: string } => ({
    actor: `api-key:${callerOf(execution).keyId}`,
    requestId: contextOf(execution.switchToHttp().getRequest<Request>()).requestId,
  }),
);
