import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
import { PublicRoute } from '../http/request.decorators.js';
import { OperatorRequestInterceptor } from './operator-request.interceptor.js';
import { OperatorGuard } from './operator.guard.js';

/** Below `/api`. */
export const OPERATOR_ROOT = 'operator/v1';

/**
 * Declares operator routes. They require a session in place of an application key; writes also require the CSRF token,
 * the own Origin and, by default, the role `admin`.
 * @param path below {@link OPERATOR_ROOT}
 */
export const OperatorController = (path = ''): ClassDecorator =>
  applyDecorators(
    Controller(path === '' ? OPERATOR_ROOT : `${OPERATOR_ROOT}/${path}`),
    PublicRoute(),
    UseGuards(OperatorGuard),
    UseInterceptors(OperatorRequestInterceptor),
  );
