import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { actAs } from '#application';
import { clientNetwork } from '../auth/client-network.js';
import { contextOf } from '../http/api-context.js';
import { ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { isRead } from './request-origin.js';

/** Names in the audit log who makes a request of operators, and reads the body once the guard has let it pass. */
@Injectable()
export class OperatorRequestInterceptor implements NestInterceptor {
  constructor(private readonly body: ReadBodyInterceptor) {}

  intercept(execution: ExecutionContext, handler: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<Request>();
    const { operatorSession, requestId } = contextOf(request);
    const actor =
      operatorSession === undefined
        ? `network:${clientNetwork(request.ip ?? '')}`
        : `operator:${operatorSession.operator.email}`;
    return actAs({ actor, requestId }, () =>
      isRead(request) ? handler.handle() : this.body.intercept(execution, handler),
    );
  }
}
