import { timingSafeEqual } from 'node:crypto';
import { Injectable, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import {
  assertTokenScope,
  OperatorSessions,
  OperatorSettings,
  OperatorTokens,
  DEVICE_LIFETIME_MS,
  type AuthenticatedSession,
  type NewSession,
} from '#application/operator';
import type { OperatorRole, OperatorToken, OperatorTokenArea } from '#domain/operator';
import { DomainError } from '#domain/system';
import { RateLimits } from '../auth/rate-limits.js';
import { contextOf } from '../http/api-context.js';
import { HttpFailure } from '../errors/envelope.js';
import { BY_PASSWORD, NEEDED_ROLE, NEEDS_RECENT_SIGN_IN, TOKEN_AREA, WITHOUT_SESSION } from './operator.decorators.js';
import { oneCookie } from '../http/request-headers.js';
import { hasBody } from '../http/read-body.interceptor.js';

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

/** Sent to the operator API alone, over https only (RFC 6265bis §4.1.3.1); `__Host-` would force the path `/`. */
const NAME = '__Secure-uc_operator';
const DEVICE_PREFIX = '__Secure-uc_device_';
const ATTRIBUTES = { httpOnly: true, path: '/api/operator', sameSite: 'strict', secure: true } as const;

/** The cookie lasts until the browser or the session ends. */
export function readOperatorCookie(request: Request): string | null {
  return oneCookie(request, NAME);
}

export function writeOperatorCookies(response: Response, { secret, device }: NewSession): void {
  response.cookie(NAME, secret, ATTRIBUTES);
  if (device === null) return;
  const { operatorId, token } = device;
  response.cookie(DEVICE_PREFIX + operatorId, token, { ...ATTRIBUTES, maxAge: DEVICE_LIFETIME_MS });
}

/** Returns the device token of an earlier sign-in, which outlives the session. */
export function readDeviceCookie(request: Request, operatorId: string): string | null {
  return oneCookie(request, DEVICE_PREFIX + operatorId);
}

export function clearOperatorCookie(response: Response): void {
  response.clearCookie(NAME, ATTRIBUTES);
}

const CSRF_HEADER = 'x-csrf-token';

/** Safe methods (RFC 9110 §9.2.1). */
export function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Browsers send `Origin` with every write; another site can neither forge it nor send JSON without a preflight.
 * @throws DomainError Forbidden
 */
export function assertFromOurPages(request: Request, ourOrigin: string): void {
  if (request.headers.origin !== ourOrigin) throw forbidden('Changes are taken from the pages of this service only.');
  const type = request.headers['content-type'];
  if (type === undefined ? hasBody(request) : !/^application\/json\s*(?:;|$)/i.test(type)) {
    throw forbidden('Send the body as application/json.');
  }
}

/** @throws DomainError Forbidden */
export function assertCsrfToken({ headers }: Request, csrfToken: string): void {
  const sent = Buffer.from(String(headers[CSRF_HEADER] ?? ''));
  const expected = Buffer.from(csrfToken);
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw forbidden(`Send the csrfToken of the session in the header ${CSRF_HEADER}.`);
  }
}

function forbidden(message: string): DomainError {
  return new DomainError('Forbidden', message);
}
