import { applyDecorators, UseGuards, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import type { Response } from 'express';

/** Extension under which it travels until the OpenAPI document is finished. */
export const DEPRECATED_EXTENSION = 'x-deprecated';

const DAY_MS = 86_400_000;
/** What docs/versioning.md promises. */
const LEAST_NOTICE_DAYS = 365;

export interface Deprecation {
  /** From when on it should not be used any more, `YYYY-MM-DD`. */
  since: string;
  /** From when on it may not answer any more, `YYYY-MM-DD`. */
  sunset: string;
  /** A page that says what to do instead. */
  link: string;
}

/**
 * An operation that is going to go. Its answers say so, failures too: `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a
 * `Link` to what to do instead; in the OpenAPI document it is marked.
 * @throws RangeError when it would go within a year of the notice
 */
export function Deprecated({ since, sunset, link }: Deprecation): MethodDecorator {
  const [from, until] = [new Date(since), new Date(sunset)];
  if (!(until.getTime() - from.getTime() >= LEAST_NOTICE_DAYS * DAY_MS)) {
    throw new RangeError('What is deprecated stays for a year');
  }
  const headers = {
    Deprecation: `@${from.getTime() / 1_000}`,
    Sunset: until.toUTCString(),
    Link: `<${link}>; rel="deprecation"; type="text/html"`,
  };
  return applyDecorators(ApiExtension(DEPRECATED_EXTENSION, true), UseGuards(new DeprecationNotice(headers)));
}

/** Lets everybody pass. Guards come before interceptors, of which one repeats answers, and before all that may fail. */
class DeprecationNotice implements CanActivate {
  constructor(private readonly headers: Readonly<Record<string, string>>) {}

  canActivate(execution: ExecutionContext): boolean {
    const response = execution.switchToHttp().getResponse<Response>();
    for (const [name, value] of Object.entries(this.headers)) response.append(name, value);
    return true;
  }
}
