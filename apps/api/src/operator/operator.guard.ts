import { Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import {
  assertTokenScope,
  OperatorSessions,
  OperatorSettings,
  OperatorTokens,
  type AuthenticatedSession,
} from '#application/operator';
import type { OperatorRole, OperatorToken, OperatorTokenArea } from '#domain/operator';
import { DomainError } from '#domain/system';
import { RateLimits } from '../auth/rate-limits.js';
import { contextOf } from '../http/api-context.js';
import { HttpFailure } from '../errors/envelope.js';
import { BY_PASSWORD, NEEDED_ROLE, NEEDS_RECENT_SIGN_IN, TOKEN_AREA, WITHOUT_SESSION } from './operator.decorators.js';
import { readOperatorCookie } from './operator-cookie.js';
import { assertCsrfToken, assertFromOurPages, isRead } from './request-origin.js';

/** Other credentials are those of a proxy in front of the dashboard. */
const TOKEN = /^Bearer (uco_.*)$/i;

type Handler = ReturnType<ExecutionContext['getHandler']>;

@Injectable()
export class OperatorGuard implements CanActivate {
  private readonly ourOrigin: string;

  constructor(
    private readonly sessions: OperatorSessions,
    private readonly tokens: OperatorTokens,
    private readonly limits: RateLimits,
    private readonly reflector: Reflector,
    private readonly settings: OperatorSettings,
  ) {
    this.ourOrigin = new URL(settings.operatorUrl).origin;
  }

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const targets = [execution.getHandler(), execution.getClass()];
    const http = execution.switchToHttp();
    const request = http.getRequest<Request>();
    if (this.reflector.getAllAndOverride<boolean | undefined>(WITHOUT_SESSION, targets) === true) {
      if (!isRead(request)) assertFromOurPages(request, this.ourOrigin);
      await this.limits.takeUnauthenticated(http.getResponse<Response>(), request.ip ?? '');
      this.assertMayUsePassword(targets);
      return true;
    }
    const [, text] = TOKEN.exec(request.headers.authorization ?? '') ?? [];
    // Never also the cookie: another site cannot make a browser send this header.
    if (text !== undefined) {
      const token = await this.authenticateToken(text, request, http.getResponse<Response>());
      const area = this.reflector.getAllAndOverride<OperatorTokenArea | undefined>(TOKEN_AREA, targets);
      if (area === undefined) throw new DomainError('Forbidden', 'This is for operators in the dashboard alone.');
      assertTokenScope(token, area, isRead(request));
      contextOf(request).operatorToken = token;
      return true;
    }
    const session = await this.authenticate(request, http.getResponse<Response>());
    contextOf(request).operatorSession = session;
    if (!isRead(request)) {
      assertFromOurPages(request, this.ourOrigin);
      assertCsrfToken(request, session.csrfToken);
    }
    const named = this.reflector.getAllAndOverride<OperatorRole | undefined>(NEEDED_ROLE, targets);
    const needed = named ?? (isRead(request) ? 'viewer' : 'admin');
    if (needed === 'admin' && session.operator.role !== 'admin') {
      throw new DomainError('Forbidden', 'This needs the role admin.');
    }
    this.assertMayUsePassword(targets);
    const needsRecent = this.reflector.getAllAndOverride<boolean | undefined>(NEEDS_RECENT_SIGN_IN, targets) === true;
    if (needsRecent) this.sessions.assertRecent(session);
    return true;
  }

  private assertMayUsePassword(targets: (Type | Handler)[]): void {
    const isByPassword = this.reflector.getAllAndOverride<boolean | undefined>(BY_PASSWORD, targets) === true;
    if (!isByPassword || this.settings.hasPasswords) return;
    throw new DomainError('PasswordsDisabled', 'Operators of this installation sign in by single sign-on alone.');
  }

  private async authenticate(request: Request, response: Response): Promise<AuthenticatedSession> {
    const secret = readOperatorCookie(request);
    const isUserActive = request.headers['x-unattended'] === undefined;
    const session = secret === null ? null : await this.sessions.authenticate(secret, isUserActive);
    if (session !== null) return session;
    await this.limits.takeUnauthenticated(response, request.ip ?? '');
    throw new HttpFailure('Forbidden', 'Sign in to the dashboard.', 401);
  }

  private async authenticateToken(text: string, request: Request, response: Response): Promise<OperatorToken> {
    const token = await this.tokens.authenticate(text);
    if (token !== null) return token;
    await this.limits.takeUnauthenticated(response, request.ip ?? '');
    response.setHeader('WWW-Authenticate', 'Bearer');
    throw new HttpFailure('Forbidden', 'The operator token is not valid, or has expired.', 401);
  }
}
