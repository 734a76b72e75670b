import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Reflector } from '@nestjs/core';
import { ApiKeysService } from '#application/applications';
import type { ApiKeyScope } from '#domain/applications';
import { DomainError, isUuid, noSuchApplication } from '#domain/system';
import { PUBLIC_ROUTE } from '#platform';
import { contextOf } from '../http/api-context.js';
import { RateLimits, type QuotaResult } from './rate-limits.js';
import { REQUIRED_SCOPE } from '../http/request.decorators.js';

@Injectable()
export class ApiKeyGuard implements CanActivate {
  constructor(
    private readonly keys: ApiKeysService,
    private readonly limits: RateLimits,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const scope = this.scopeOf(execution);
    if (scope === null) return true;
    const http = execution.switchToHttp();
    const request = http.getRequest<Request>();
    const response = http.getResponse<Response>();
    const key = await this.verify(request, response);
    const context = contextOf(request);
    context.caller = key;
    context.applicationId = key.applicationId;
    const { endUserAccountId, applicationId } = request.params;
    // The id is logged, so only a UUID may pass: callers may send anything here, even an email address.
    if (isUuid(endUserAccountId)) context.accountId = endUserAccountId;
    await this.limits.take(response, key);
    if (!key.scopes.includes(scope)) {
      throw new DomainError('Forbidden', `The application key lacks the scope ${scope}.`);
    }
    if (applicationId !== undefined && applicationId !== key.applicationId) {
      throw noSuchApplication();
    }
    return true;
  }

  /** null: the route is public. */
  private scopeOf(execution: ExecutionContext): ApiKeyScope | null {
    const targets = [execution.getHandler(), execution.getClass()];
    if (this.reflector.getAllAndOverride<boolean | undefined>(PUBLIC_ROUTE, targets) === true) return null;
    const named = this.reflector.getAllAndOverride<ApiKeyScope | undefined>(REQUIRED_SCOPE, targets);
    if (named !== undefined) return named;
    const { method } = execution.switchToHttp().getRequest<Request>();
    return method === 'GET' || method === 'HEAD' ? 'read' : 'write';
  }

  private async verify(request: Request, response: Response): ReturnType<ApiKeysService['verify']> {
    // Failed keys count against the network of the caller. A valid key gets its point back.
    const address = request.ip ?? '';
    let guess: QuotaResult | undefined;
    const claim = async (): Promise<QuotaResult> => (guess ??= await this.limits.claimGuess(address));
    try {
      const key = await this.keys.verify(oneKey(request), async () => (await claim()).isGranted);
      if (guess !== undefined) await this.limits.returnGuess(address);
      return key;
    } catch (error) {
      if (error instanceof DomainError) this.limits.rejectGuess(response, await claim());
      else if (guess !== undefined) await this.limits.returnGuess(address);
      throw error;
    }
  }
}

const KEY_HEADER = 'x-api-key';

/** Treats missing, empty and repeated keys alike (N01). Node joins repeated headers, so this reads the raw ones. */
function oneKey({ rawHeaders }: Request): string | undefined {
  let key: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length !== KEY_HEADER.length || name.toLowerCase() !== KEY_HEADER) continue;
    if (key !== undefined) return undefined;
    key = rawHeaders[i + 1];
  }
  return key;
}
