import { applyDecorators, createParamDecorator, SetMetadata, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { AuthenticatedSession } from '#application/operator';
import type { OperatorRole, OperatorTokenArea } from '#domain/operator';
import { contextOf } from '../http/api-context.js';

export const BY_PASSWORD = 'operator-by-password';
export const NEEDED_ROLE = 'operator-needed-role';
export const NEEDS_RECENT_SIGN_IN = 'operator-needs-recent-sign-in';
export const TOKEN_AREA = 'operator-token-area';
export const WITHOUT_SESSION = 'operator-without-session';

/** In the OpenAPI document until `completeOperatorDocument` replaces them by security requirements. */
export const TOKEN_AREA_EXTENSION = 'x-operator-token-area';
export const WITHOUT_SESSION_EXTENSION = 'x-operator-without-session';

/** Marks a route that takes or sets a password. Rejected where operators sign in by single sign-on only. */
export const ByPassword = (): MethodDecorator => SetMetadata(BY_PASSWORD, true);

/** Overrides the role of a route. Default: `viewer` for GET, `admin` for other methods. */
export const NeedsRole = (role: OperatorRole): MethodDecorator => SetMetadata(NEEDED_ROLE, role);

/** Requires a sign-in within the last five minutes, for routes that give access or end sessions. */
export const NeedsRecentSignIn = (): MethodDecorator => SetMetadata(NEEDS_RECENT_SIGN_IN, true);

/** Marks an operator route without a session. Writes still require the own Origin. */
export const WithoutSession = (): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(WITHOUT_SESSION, true), ApiExtension(WITHOUT_SESSION_EXTENSION, true));

/** Lets operator tokens with a scope of the area in. A route without it is for sessions alone. */
export const ForTokens = (area: OperatorTokenArea): MethodDecorator & ClassDecorator =>
  applyDecorators(SetMetadata(TOKEN_AREA, area), ApiExtension(TOKEN_AREA_EXTENSION, area));

export const CurrentSession = createParamDecorator((_: unknown, execution: ExecutionContext): AuthenticatedSession => {
  const { operatorSession } = contextOf(execution.switchToHttp().getRequest<Request>());
  if (operatorSession === undefined) throw new Error('a handler that needs the operator is on a route without session');
  return operatorSession;
});
