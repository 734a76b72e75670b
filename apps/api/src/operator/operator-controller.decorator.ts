import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
import { PublicRoute } from '../http/request.decorators.js';
import { OperatorRequestInterceptor } from './operator-request.interceptor.js';
import { OperatorGuard } from './operator.guard.js';

/** Below `/api`. */
export const OPERATOR_ROOT = 'operator/v1';

/**
 * Requires a session in place of an application key; for writes also the CSRF token, the own Origin and, by default,
 * the role `admin`.
 */
export const OperatorController = (path = ''): ClassDecorator =>
  applyDecorators(
    Controller(path === '' ? OPERATOR_ROOT : `${OPERATOR_ROOT}/${path}`),
    PublicRoute(),
    UseGuards(OperatorGuard),
    UseInterceptors(OperatorRequestInterceptor),
  );
