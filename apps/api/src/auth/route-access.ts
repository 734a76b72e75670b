import { Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import type { ApiKeyScope } from '#domain';
import { PUBLIC_ROUTE } from '#platform';
import { REQUIRED_SCOPE } from './route.decorators.js';

/** What a route asks of its caller; null: nothing. Read from the metadata once for each handler. */
@Injectable()
export class RouteAccess {
  private readonly known = new Map<unknown, ApiKeyScope | null>();

  constructor(private readonly reflector: Reflector) {}

  scopeOf(execution: ExecutionContext): ApiKeyScope | null {
    const handler = execution.getHandler();
    const known = this.known.get(handler);
    if (known !== undefined) return known;
    const scope = this.read(execution);
    this.known.set(handler, scope);
    return scope;
  }

  private read(execution: ExecutionContext): ApiKeyScope | null {
    const targets = [execution.getHandler(), execution.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_ROUTE, targets) === true) return null;
    const named = this.reflector.getAllAndOverride<ApiKeyScope | undefined>(REQUIRED_SCOPE, targets);
    if (named !== undefined) return named;
    const { method } = execution.switchToHttp().getRequest<Request>();
    return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  }
}
