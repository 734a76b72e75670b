import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { invalid } from '#domain';

const MAX_LENGTH = 1_024;

/** The version tag of `If-Match` as sent. `*` asks for any version (RFC 9110 §13.1.1), which is what absence means. */
export const IfMatch = createParamDecorator((_: unknown, execution: ExecutionContext): string | undefined => {
  const header = execution.switchToHttp().getRequest<Request>().headers['if-match']?.trim();
  if (header === undefined || header === '*') return undefined;
  if (header === '' || header.length > MAX_LENGTH) throw invalid('If-Match', 'must be the etag of the event');
  return header;
});
