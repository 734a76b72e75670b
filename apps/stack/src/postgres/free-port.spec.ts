import { expect, it } from '@jest/globals';
import { freePort } from './free-port.js';

it('leaves alone the ports that the system gives to connections, which could take one before its server starts', async () => {
  for (let i = 0; i < 50; i += 1) {
    const port = await freePort();
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(32_768);
  }
});
