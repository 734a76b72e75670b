import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { DataDirectory } from '#platform/local-stack';
import { findConnection } from './connection.js';

describe('findConnection', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'unified-calendar-connection-'));
    const data = DataDirectory.fromEnvironment({ DATA_DIR: directory });
    data.create();
    data.publish({ databaseUrl: 'postgresql://running', baseUrl: 'http://localhost:3411', childPids: [] });
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  it('is that of the stack that is running, its address too', () => {
    expect(findConnection({ DATA_DIR: directory, ENCRYPTION_KEYS: 'keys' })).toMatchObject({
      databaseUrl: 'postgresql://running',
      publicUrl: 'http://localhost:3411',
    });
  });

  it('is what the environment says', () => {
    const env = {
      DATABASE_URL: 'postgresql://given',
      PUBLIC_URL: ' https://calendar.example.com ',
      ENCRYPTION_KEYS: 'k',
    };
    expect(findConnection({ ...env, DATA_DIR: directory })).toMatchObject({
      databaseUrl: 'postgresql://given',
      encryptionKeys: 'k',
      publicUrl: 'https://calendar.example.com',
    });
    const operatorUrlOf = (OPERATOR_URL: string) => findConnection({ ...env, OPERATOR_URL }).operatorUrl;
    expect(operatorUrlOf('https://ops.example.com')).toBe('https://ops.example.com');
    expect([operatorUrlOf('off'), operatorUrlOf('')]).toEqual([undefined, undefined]);
  });
});
