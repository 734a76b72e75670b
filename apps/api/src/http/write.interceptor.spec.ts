import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { RequestMethod, type Type } from '@nestjs/common';
import { INTERCEPTORS_METADATA, METHOD_METADATA } from '@nestjs/common/constants.js';
import { ApiModule } from '../api.module.js';
import { WriteInterceptor } from './write.interceptor.js';

/** Every handler of the interface: its name, its method and what is around it. */
function handlers(): { name: string; method: RequestMethod; interceptors: unknown[] }[] {
  const settings = { bodyLimit: 1, publicUrl: 'http://localhost', rateLimitRps: 1, requestTimeoutMs: 1, trustProxy: 0 };
  const { controllers = [] } = ApiModule.forRoot(settings, []);
  return (controllers as Type<object>[]).flatMap(({ name, prototype }) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype as object)).flatMap(([property, { value }]) => {
      const method =
        typeof value === 'function'
          ? (Reflect.getMetadata(METHOD_METADATA, value as object) as RequestMethod | undefined)
          : undefined;
      if (method === undefined) return [];
      const interceptors = (Reflect.getMetadata(INTERCEPTORS_METADATA, value as object) as unknown[] | undefined) ?? [];
      return [{ name: `${name}.${property}`, method, interceptors }];
    }),
  );
}

function isOfProviders(name: string): boolean {
  return name.startsWith('NotificationsController.');
}

describe('WriteInterceptor', () => {
  it('is once around every handler that is not a read', () => {
    const writes = handlers().filter(({ name, method }) => method !== RequestMethod.GET && !isOfProviders(name));
    expect(writes.length).toBeGreaterThan(8);
    for (const { name, interceptors } of writes) expect([name, interceptors]).toEqual([name, [WriteInterceptor]]);
  });

  it('is around no push: providers know no keys of ours', () => {
    const pushes = handlers().filter(({ name }) => isOfProviders(name));
    expect(pushes).toHaveLength(1);
    for (const { interceptors } of pushes) expect(interceptors).not.toContain(WriteInterceptor);
  });

  it('is around no read', () => {
    const reads = handlers().filter(({ method }) => method === RequestMethod.GET);
    expect(reads.length).toBeGreaterThan(6);
    for (const { name, interceptors } of reads) expect([name, interceptors]).toEqual([name, []]);
  });
});
