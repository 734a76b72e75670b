import { Logger } from '@nestjs/common';
import type { RequestHandler } from 'express';

/**
 * While no proxy is trusted: says once that one seems to be there. Anybody can send the header, and then it means nothing:
 * whose address it names is neither believed nor logged.
 */
export function untrustedProxies(): RequestHandler {
  const logger = new Logger('UntrustedProxies');
  let isWarned = false;
  return (request, _response, next) => {
    if (!isWarned && request.headers['x-forwarded-for'] !== undefined) {
      isWarned = true;
      logger.warn({
        msg: 'X-Forwarded-For arrives and no proxy is trusted: all behind one are one address',
      });
    }
    next();
  };
}
