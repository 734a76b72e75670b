import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import type { Request } from 'express';
import type { ApplicationRef, ApiKeyScope } from '#domain';
import { PUBLIC_ROUTE } from '#platform';
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

/** A route that needs no application key. */
export const PublicRoute = (): MethodDecorator & ClassDecorator => SetMetadata(PUBLIC_ROUTE, true);

export const REQUIRED_SCOPE = 'required-scope';

/** The key scope a route needs, where the method does not tell (GET: `read`, others: `write`). */
export const RequiredScope = (scope: ApiKeyScope): MethodDecorator => SetMetadata(REQUIRED_SCOPE, scope);
