import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * For an API that no page of another origin may read, frame or guess the type of. No CORS headers at all: keys belong
 * into back ends. Nothing is to be cached: it is somebody's calendar.
 */
export function securityHeaders(): RequestHandler[] {
  return [
    helmet({
      contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
      strictTransportSecurity: { maxAge: 31_536_000, includeSubDomains: false },
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
    (_request, response, next) => {
      response.setHeader('cache-control', 'no-store');
      next();
    },
  ];
}
