import { ApiExtension, ApiParam, ApiResponse } from '@nestjs/swagger';
import { applyDecorators } from '@nestjs/common';
import type { ErrorCode } from '#domain/system';
import { takeExtension, type Operation } from './document-parts.js';
import { OAUTH_SLUGS } from '../validation/provider-fields.js';

/** Extension that carries the error codes of an operation until the document is complete. */
const FAILS_EXTENSION = 'x-fails';

/** Adds error codes to those of every operation. */
export const Fails = (...codes: ErrorCode[]): MethodDecorator => ApiExtension(FAILS_EXTENSION, codes);

export function takeFails(operation: Operation): ErrorCode[] {
  return (takeExtension(operation, FAILS_EXTENSION) ?? []) as ErrorCode[];
}

/** Extension that marks browser operations until the document is complete. */
export const BROWSER_EXTENSION = 'x-browser';

/** Browsers visit these operations without a key. Failures are pages for clients that accept HTML. */
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
