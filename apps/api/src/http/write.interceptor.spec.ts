import { describe, expect, it } from '@jest/globals';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import type { Request } from 'express';
import { lastValueFrom, of } from 'rxjs';
import type { IdempotencyInterceptor } from '../idempotency/idempotency.interceptor.js';
import { ApiContext, attachContext } from './api-context.js';
import type { IgnoredFieldsInterceptor } from './ignored-fields.interceptor.js';
import type { ReadBodyInterceptor } from './read-body.interceptor.js';
import { WriteInterceptor } from './write.interceptor.js';

/** What surrounds the handler of such a request, from the outside. */
async function around(method: string, hasKey: boolean): Promise<string[]> {
  const passed: string[] = [];
  const step = (name: string): NestInterceptor => ({
    intercept: (_, next) => {
      passed.push(name);
      return next.handle();
    },
  });
  const request = { method };
  const context = new ApiContext('request');
  if (hasKey) context.caller = { applicationId: 'application', keyId: 'key', scopes: ['write'] };
  attachContext(request as Request, context);
  const interceptor = new WriteInterceptor(
    step('body') as ReadBodyInterceptor,
    step('idempotency') as IdempotencyInterceptor,
    step('ignored fields') as IgnoredFieldsInterceptor,
  );
  const execution = { switchToHttp: () => ({ getRequest: () => request }) } as unknown as ExecutionContext;
  const handler: CallHandler = { handle: () => of('answer') };
  expect(await lastValueFrom(await interceptor.intercept(execution, handler))).toBe('answer');
  return passed;
}

describe('WriteInterceptor', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('reads the body of a %s before what it stands for', async (method) => {
    expect(await around(method, true)).toEqual(['body', 'idempotency', 'ignored fields']);
  });

  it.each(['GET', 'HEAD'])('is around no %s', async (method) => {
    expect(await around(method, true)).toEqual([]);
  });

  it('is around no push: providers know no keys of ours', async () => {
    expect(await around('POST', false)).toEqual([]);
  });
});
