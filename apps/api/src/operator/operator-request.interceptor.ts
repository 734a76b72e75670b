import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import { inBrowser } from '#application/operator';
import { actAs } from '#application/system';
import { clientNetwork } from '../http/client-network.js';
import { contextOf } from '../http/api-context.js';
import { ReadBodyInterceptor } from '../http/read-body.interceptor.js';
import { isRead } from './operator.guard.js';

@Injectable()
export class OperatorRequestInterceptor implements NestInterceptor {
  constructor(private readonly body: ReadBodyInterceptor) {}

  intercept(execution: ExecutionContext, handler: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const request = execution.switchToHttp().getRequest<Request>();
    const { operatorSession, operatorToken, requestId } = contextOf(request);
    const network = clientNetwork(request.ip ?? '');
    const actor =
      operatorToken !== undefined
        ? `operator-token:${operatorToken.id}`
        : operatorSession !== undefined
          ? `operator:${operatorSession.operator.email}`
          : `network:${network}`;
    const handle = () => (isRead(request) ? handler.handle() : this.body.intercept(execution, handler));
    return inBrowser({ userAgent: request.headers['user-agent'], network }, () => actAs({ actor, requestId }, handle));
  }
}
