import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Sends no CORS headers, because keys belong in back ends, and HSTS only when `PUBLIC_URL` uses https. */
export function securityHeaderFields(publicUrl: string): [name: string, value: string][] {
  const isHttps = publicUrl.startsWith('https:');
  return [
    ...headersOf(
      helmet({
        contentSecurityPolicy: {
          useDefaults: false,
          directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
        },
        strictTransportSecurity: isHttps && { maxAge: 31_536_000, includeSubDomains: false },
        referrerPolicy: { policy: 'no-referrer' },
        crossOriginOpenerPolicy: false,
        crossOriginResourcePolicy: { policy: 'same-origin' },
        originAgentCluster: false,
        xDnsPrefetchControl: false,
        xDownloadOptions: false,
        xFrameOptions: { action: 'deny' },
        xPermittedCrossDomainPolicies: false,
        xXssProtection: false,
      }),
    ),
    ['cache-control', 'no-store'],
  ];
}

export function securityHeaders(publicUrl: string): RequestHandler {
  const headers = securityHeaderFields(publicUrl);
  return (_request, response, next) => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

/** The headers are equal for every request, so they are computed once. */
function headersOf(middleware: ReturnType<typeof helmet>): [string, string][] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  let isDone = false;
  middleware(request, response, (error) => {
    isDone = error === undefined;
  });
  if (!isDone) throw new Error('the security headers cannot be told at the start');
  return response.getHeaderNames().map((name) => [name, String(response.getHeader(name))]);
}
