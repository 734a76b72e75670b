import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { DomainError } from '#domain';
import { HttpFailure } from '../errors/envelope.js';

/**
 * A sign-in moves when its user moves: what browsers fetch ahead, and link scanners look at, must neither begin one nor
 * use one up.
 */
@Injectable()
export class NavigationGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    const http = execution.switchToHttp();
    const { method, headers } = http.getRequest<Request>();
    if (method !== 'GET') {
      http.getResponse<Response>().setHeader('allow', 'GET');
      throw new DomainError('MethodNotAllowed', 'This method is not available here.');
    }
    // https://wicg.github.io/nav-speculation/prefetch.html: browsers drop what fails, and ask again when it is wanted.
    const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-moz']].join();
    if (/prefetch|preview|prerender/i.test(purpose)) {
      throw new HttpFailure('ValidationFailed', 'This address cannot be fetched ahead.', 400);
    }
    return true;
  }
}

/** RFC 9110 §15.4.3 */
export const FOUND = 302;

/** The browser goes on. Without a body: it would repeat what the address holds. */
export function sendTo(response: Response, location: string): void {
  if (response.headersSent) return;
  response.status(FOUND).setHeader('location', location).end();
}
