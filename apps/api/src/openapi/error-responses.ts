import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '#domain/system';
import { ERROR_ACTION, ERROR_MEANING, ERROR_STATUS } from '../errors/error-status.js';
import type { Response } from './document-parts.js';

const CODES_EXTENSION = 'x-error-codes';
/** Statuses of answers that may say when to try again. */
const WITH_RETRY_AFTER = new Set([409, 429, 502, 503, 504]);

export function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const listed = new Map<number, ErrorCode[]>([
    [431, ['PayloadTooLarge']],
    [503, ['Overloaded', 'ServiceUnavailable']],
  ]);
  for (const code of codes) listed.set(ERROR_STATUS[code], [...(listed.get(ERROR_STATUS[code]) ?? []), code]);
  if (codes.includes('PayloadTooLarge')) listed.set(415, ['ValidationFailed']);
  return [...listed].sort(([a], [b]) => a - b);
}

type ErrorResponse = Response & { [CODES_EXTENSION]: ErrorCode[] };

export function errorResponse(status: number, codes: ErrorCode[], meaning = ERROR_MEANING): ErrorResponse {
  return {
    description: codes.map((code) => `\`${code}\`: ${meaning[code]}`).join('\n\n'),
    headers: headerReferences(['x-request-id', ...(WITH_RETRY_AFTER.has(status) ? ['Retry-After'] : [])]),
    // Separate schemas per set of codes would become separate classes in generated clients.
    [CODES_EXTENSION]: codes,
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        example: exampleOf(codes[0] ?? 'InternalServerError', meaning),
      },
    },
  };
}

function exampleOf(code: ErrorCode, meaning: Record<ErrorCode, string>): Record<string, unknown> {
  return {
    error: code,
    code,
    message: code === 'ValidationFailed' ? 'start.dateTime: is required' : meaning[code],
    requestId: '7c0c8f4e-3f0a-4a53-9f6e-0c3f1d2b4a5e',
    ...(code === 'ValidationFailed' && { details: [{ path: 'start.dateTime', message: 'is required' }] }),
    ...(code.startsWith('Provider') && {
      provider: { status: 503, code: null, message: 'Service unavailable', retryable: true },
    }),
  };
}

export function headerReferences(names: string[]): NonNullable<Response['headers']> {
  return Object.fromEntries(names.map((name) => [name, reference(name)]));
}

export function reference(name: string): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

/** @param meaning and `action`: texts per code */
export function errorSchemas(
  listed: readonly ErrorCode[] = ERROR_CODES,
  meaning = ERROR_MEANING,
  action = ERROR_ACTION,
): NonNullable<NonNullable<OpenAPIObject['components']>['schemas']> {
  const codes = listed.map(
    (code) => `- \`${code}\` (${ERROR_STATUS[code]}): ${meaning[code]} What to do: ${action[code]}`,
  );
  return {
    ErrorCode: { type: 'string', enum: [...listed], description: `What happened.\n\n${codes.join('\n')}` },
    ErrorDetail: {
      type: 'object',
      description: 'One part of the request that is not valid.',
      required: ['path', 'message'],
      properties: {
        path: {
          type: 'string',
          description: 'Where, in dotted form; empty for the body as a whole.',
          example: 'start.dateTime',
        },
        message: { type: 'string', description: 'What is wrong with it.', example: 'is required' },
      },
    },
    ProviderFault: {
      type: 'object',
      description: 'What the provider said, reduced to facts.',
      required: ['status', 'code', 'message', 'retryable'],
      properties: {
        status: {
          type: ['integer', 'null'],
          description: "HTTP status of the provider's answer, if any.",
          example: 503,
        },
        code: { type: ['string', 'null'], description: "The provider's own code, if any.", example: null },
        message: { type: 'string', description: 'A sentence for people.', example: 'Service unavailable' },
        retryable: { type: 'boolean', description: 'Whether trying again later may help.', example: true },
      },
    },
    Error: {
      type: 'object',
      description: 'The body of every error.',
      required: ['error', 'code', 'message', 'requestId'],
      properties: {
        error: { $ref: '#/components/schemas/ErrorCode' },
        code: { $ref: '#/components/schemas/ErrorCode' },
        message: { type: 'string', description: 'A sentence for people.', example: 'start.dateTime: is required' },
        requestId: {
          type: 'string',
          description: 'The id of the request, as in `x-request-id`.',
          example: '7c0c8f4e-3f0a-4a53-9f6e-0c3f1d2b4a5e',
        },
        details: {
          type: 'array',
          description: 'Each part of the request that is not valid.',
          items: { $ref: '#/components/schemas/ErrorDetail' },
        },
        provider: { $ref: '#/components/schemas/ProviderFault' },
      },
    },
  };
}
