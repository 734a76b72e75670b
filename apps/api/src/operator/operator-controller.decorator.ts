import { applyDecorators, Controller, UseGuards, UseInterceptors } from '@nestjs/common';
import { PublicRoute } from '../http/request.decorators.js';
import { OperatorRequestInterceptor } from './operator-request.interceptor.js';
import { OperatorGuard } from './operator.guard.js';

/** Below `/api`. */
export const OPERATOR_ROOT = 'operator/v1';

/**
 * Routes of operators: a session is needed in place of an application key, for changes also the CSRF token, our Origin
 * and, unless it says otherwise, the role `admin`.
 * @param path below {@link OPERATOR_ROOT}
 */
export const OperatorController = (path = ''): ClassDecorator =>
  applyDecorators(
    Controller(path === '' ? OPERATOR_ROOT : `${OPERATOR_ROOT}/${path}`),
    PublicRoute(),
    UseGuards(OperatorGuard),
    UseInterceptors(OperatorRequestInterceptor),
  );
