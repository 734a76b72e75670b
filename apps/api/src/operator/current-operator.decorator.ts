import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { ProvenSession } from '#application';
import type { OperatorRole } from '#domain';
import { contextOf } from '../http/api-context.js';

export interface OperatorRef {
  id: string;
  /** Lower case. */
  email: string;
  name: string;
  role: OperatorRole;
}

function sessionOf(execution: ExecutionContext): ProvenSession {
  const { operatorSession } = contextOf(execution.switchToHttp().getRequest<Request>());
  if (operatorSession === undefined) throw new Error('a handler that needs the operator is on a route without session');
  return operatorSession;
}

export const CurrentSession = createParamDecorator((_: unknown, execution: ExecutionContext): ProvenSession =>
  sessionOf(execution),
);

export const CurrentOperator = createParamDecorator((_: unknown, execution: ExecutionContext): OperatorRef => {
  const { id, email, name, role } = sessionOf(execution).operator;
  return { id, email, name, role };
});
