import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { prepareStack, startStack } from '../../support/stack.js';

describe('npm start with settings that it cannot use', () => {
  it('names all that production needs, together with what is wrong, and starts nothing', async () => {
    const stack = await prepareStack({ NODE_ENV: 'production', EGRESS_ALLOW: 'dav.internal,https://other.internal' });
    try {
      const program = startStack(stack.env);
      expect(await program.exited).toBe(1);
      for (const name of ['DATABASE_URL', 'ENCRYPTION_KEYS', 'PUBLIC_URL']) {
        expect(program.stderr()).toMatch(new RegExp(`^ {2}- ${name} is required`, 'm'));
      }
      expect(program.stderr()).toMatch(/^ {2}- EGRESS_ALLOW entry 2 is none of /m);
      expect(program.stderr()).not.toContain('other.internal');
      for (const name of ['postgres', 'encryption-keys', 'running.json']) {
        expect([name, existsSync(join(stack.dataDirectory, name))]).toEqual([name, false]);
      }
    } finally {
      await stack.remove();
    }
  });
});
