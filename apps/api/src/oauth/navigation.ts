import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '#domain/system';
import { HttpFailure } from '../errors/envelope.js';

/** Rejects browser prefetches and requests of link scanners, which must neither start nor finish a sign-in. */
@Injectable()
export class NavigationGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const http = execution.switchToHttp();
    const { method, headers } = http.getRequest<Request>();
    if (method !== 'GET') {
      http.getResponse<Response>().setHeader('allow', 'GET');
      throw new DomainError('MethodNotAllowed', 'This method is not available here.');
    }
    // Browsers drop a failed prefetch and repeat the request on navigation:
    // https://wicg.github.io/nav-speculation/prefetch.html.
    const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-moz']].join();
    if (/prefetch|preview|prerender/i.test(purpose)) {
      throw new HttpFailure('ValidationFailed', 'This address cannot be fetched ahead.', 400);
    }
    return true;
  }
}

export const FOUND = 302;
/** After a form: the browser goes on with GET (RFC 9110 §15.4.4). */
export const SEE_OTHER = 303;

/** Redirects without a body, which would repeat secrets of the URL. */
export function sendTo(response: Response, location: string, status: number = FOUND): void {
  if (response.headersSent) return;
  response.status(status).setHeader('location', location).end();
}
