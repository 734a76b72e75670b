import { applyDecorators, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Response } from 'express';

export const DEPRECATED_EXTENSION = 'x-deprecated';

const DAY_MS = 86_400_000;
/** docs/guides/versioning.md promises this period. */
const MIN_NOTICE_DAYS = 365;

export interface Deprecation {
  /** `YYYY-MM-DD` */
  since: string;
  /** First day on which the operation may stop working, `YYYY-MM-DD`. */
  sunset: string;
  link: string;
}

/**
 * Sets `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` on all responses of an operation.
 * @throws RangeError when `sunset` is less than a year after `since`
 */
export function Deprecated({ since, sunset, link }: Deprecation): MethodDecorator {
  const [from, until] = [new Date(since), new Date(sunset)];
  if (!(until.getTime() - from.getTime() >= MIN_NOTICE_DAYS * DAY_MS)) {
    throw new RangeError('What is deprecated stays for a year');
  }
  const headers = {
    Deprecation: `@${from.getTime() / 1_000}`,
    Sunset: until.toUTCString(),
    Link: `<${link}>; rel="deprecation"; type="text/html"`,
  };
  return applyDecorators(ApiExtension(DEPRECATED_EXTENSION, true), UseGuards(new DeprecationNotice(headers)));
}

/** A guard, because guards run before any failure and before the replay of an Idempotency-Key. */
class DeprecationNotice implements CanActivate {
  constructor(private readonly headers: Readonly<Record<string, string>>) {}

  canActivate(execution: ExecutionContext): boolean {
    const response = execution.switchToHttp().getResponse<Response>();
    for (const [name, value] of Object.entries(this.headers)) response.append(name, value);
    return true;
  }
}
