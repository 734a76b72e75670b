import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { ProvenSession } from '#application';
import type { OperatorRole } from '#domain';
import { contextOf } from '../http/api-context.js';

/** Who is logged in. */
export interface OperatorRef {
  id: string;
  /** In lower case. */
  email: string;
  name: string;
  role: OperatorRole;
}

function sessionOf(execution: ExecutionContext): ProvenSession {
  const { operatorSession } = contextOf(execution.switchToHttp().getRequest<Request>());
  if (operatorSession === undefined) throw new Error('a handler that needs the operator is on a route without session');
  return operatorSession;
}

/** The session that the request belongs to. */
export const CurrentSession = createParamDecorator((_: unknown, execution: ExecutionContext): ProvenSession =>
  sessionOf(execution),
);

/** The operator whose session the request belongs to. */
export const CurrentOperator = createParamDecorator((_: unknown, execution: ExecutionContext): OperatorRef => {
  const { id, email, name, role } = sessionOf(execution).operator;
  return { id, email, name, role };
});
