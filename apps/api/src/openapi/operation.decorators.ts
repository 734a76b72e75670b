import { ApiExtension, ApiParam, ApiResponse } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import type { ErrorCode } from '#domain';
import { OAUTH_SLUGS } from '../validation/provider-fields.js';

/** Extension under which an operation's own error codes travel until the document is finished. */
export const FAILS_EXTENSION = 'x-fails';

/** The error codes of an operation, besides those that every operation has. */
export const Fails = (...codes: ErrorCode[]): MethodDecorator => ApiExtension(FAILS_EXTENSION, codes);

/** Extension that marks an operation for browsers until the document is finished. */
export const BROWSER_EXTENSION = 'x-browser';

/**
 * An operation that a user's browser visits: no key is asked for, the answer is a redirect, and failures are pages for
 * whoever wants HTML. `location`: where to.
 */
export const ApiBrowserRoute = (location: string): MethodDecorator =>
  applyDecorators(
    ApiExtension(BROWSER_EXTENSION, true),
    ApiParam({ name: 'provider', schema: { type: 'string', enum: OAUTH_SLUGS }, example: OAUTH_SLUGS[0] }),
    ApiResponse({
      status: 302,
      description: 'The browser goes on.',
      headers: {
        Location: { description: location, required: true, schema: { type: 'string', format: 'uri' } },
        'Set-Cookie': {
          description: 'Tells this browser from all others, for ten minutes: no other one can finish the sign-in.',
          schema: { type: 'string' },
        },
      },
    }),
  );
