import { applyDecorators, createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { Request } from 'express';
import type { SignInResponse } from '#application/oauth';
import { invalid } from '#domain/system';
import { isStorable } from '../http/json-body.js';

/** Above the length of every authorization code that providers issue. */
const MAX_LENGTH = 4_096;

/** Keys are the parameter names on the wire. */
const PARAMETERS: Record<string, { field: keyof SignInResponse; description: string }> = {
  state: { field: 'state', description: 'The sign-in: what the provider was sent, unchanged.' },
  code: { field: 'code', description: 'The authorization code (RFC 6749 §4.1.2).' },
  error: { field: 'error', description: 'Why there is none (RFC 6749 §4.1.2.1).' },
  error_description: { field: 'errorDescription', description: 'The error in words of the provider; shown to nobody.' },
  error_subtype: { field: 'errorSubtype', description: 'More about the error, from Google.' },
  iss: { field: 'iss', description: 'Who answers (RFC 9207).' },
};

/** Ignores unknown parameters (RFC 6749 §4.1.2): providers add their own. @throws DomainError ValidationFailed */
export const CallbackParameters = createParamDecorator((_: unknown, execution: ExecutionContext): SignInResponse => {
  const { query } = execution.switchToHttp().getRequest<Request>();
  const response: SignInResponse = {};
  for (const [name, { field }] of Object.entries(PARAMETERS)) {
    const value = query[name];
    if (value === undefined) continue;
    if (typeof value !== 'string') throw invalid(name, 'must be given once');
    if (value.length > MAX_LENGTH) throw invalid(name, `must not be longer than ${MAX_LENGTH} characters`);
    if (!isStorable(value)) throw invalid(name, 'must not contain NUL or half of a surrogate pair');
    response[field] = value;
  }
  return response;
});

export const ApiCallbackParameters = (): MethodDecorator =>
  applyDecorators(
    ...Object.entries(PARAMETERS).map(([name, { description }]) =>
      ApiQuery({ name, description, required: false, schema: { type: 'string', maxLength: MAX_LENGTH } }),
    ),
  );
