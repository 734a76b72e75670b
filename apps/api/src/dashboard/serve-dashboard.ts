import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Logger } from '@nestjs/common';
import type { Request, RequestHandler, Response } from 'express';
import { classifyError } from '../errors/classify-error.js';
import { failure, type Failure, sendFailure } from '../errors/envelope.js';
import { contextOf } from '../http/api-context.js';
import { readDashboard, type DashboardFile, type DashboardFiles } from './dashboard-files.js';

const BUILT = fileURLToPath(new URL('../../../dashboard/', import.meta.url));
const NONCE = '__CSP_NONCE__';
const A_YEAR_S = 31_536_000;

/** The nonce covers style elements with runtime values. `style` attributes set by scripts are exempt (CSP 3 §8.1). */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ].join('; ');
}

/** Serves the files of the build, and its page at every other path: the page routes by path. */
export function serveDashboard(directory = BUILT): RequestHandler {
  const logger = new Logger('Dashboard');
  let reading: Promise<DashboardFiles> | undefined;
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD');
      return respondFailure(request, response, failure('MethodNotAllowed', 'There is nothing to change here.'));
    }
    try {
      reading ??= readDashboard(directory);
      send(request, response, await reading);
    } catch (error) {
      reading = undefined;
      logger.error({ err: error }, 'the dashboard cannot be read');
      sendFailure(response, classifyError(error), contextOf(request).requestId);
    }
  };
}

function send(request: Request, response: Response, { page, files }: DashboardFiles): void {
  const file = files.get(request.path.slice(1));
  if (file !== undefined) sendFile(request, response, file);
  else if (isFileName(request.path)) respondFailure(request, response, failure('NotFound', 'There is no such file.'));
  else sendPage(response, page);
}

function sendPage(response: Response, page: string): void {
  const nonce = randomBytes(16).toString('base64url');
  response.setHeader('content-type', 'text/html; charset=utf-8');
  response.setHeader('content-security-policy', policy(nonce));
  response.setHeader('cross-origin-opener-policy', 'same-origin');
  response.setHeader('cache-control', 'no-store');
  response.send(page.replace(NONCE, nonce));
}

function sendFile(request: Request, response: Response, { type, body, zipped, isImmutable }: DashboardFile): void {
  const isZipped = request.acceptsEncodings('gzip') === 'gzip';
  response.setHeader('content-type', type);
  response.setHeader('cache-control', isImmutable ? `public, max-age=${A_YEAR_S}, immutable` : 'no-cache');
  response.setHeader('vary', 'accept-encoding');
  if (isZipped) response.setHeader('content-encoding', 'gzip');
  response.send(isZipped ? zipped : body);
}

function isFileName(path: string): boolean {
  return /\.[^/]*$/.test(path);
}

function respondFailure(request: Request, response: Response, rejected: Failure): void {
  sendFailure(response, rejected, contextOf(request).requestId);
}
