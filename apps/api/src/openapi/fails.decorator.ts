import { ApiExtension } from '@nestjs/swagger';
import type { ErrorCode } from '#domain';

/** Extension under which an operation's own error codes travel until the document is finished. */
export const FAILS_EXTENSION = 'x-fails';

/** The error codes of an operation, besides those that every operation has. */
export const Fails = (...codes: ErrorCode[]): MethodDecorator => ApiExtension(FAILS_EXTENSION, codes);
