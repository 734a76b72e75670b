import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { startHttpApp } from '../../support/http-app.js';

const WARNING = { msg: 'X-Forwarded-For ignored: no trusted proxy configured' };

let warned: jest.SpiedFunction<typeof Logger.prototype.warn>;
beforeEach(() => {
  warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

describe('X-Forwarded-For', () => {
  it.each([
    ['is warned of once, without the address, while no proxy is trusted', 0, '203.0.113.5', [[WARNING]]],
    ['is warned of also when it names no address', 0, 'x', [[WARNING]]],
    ['is what is asked for when one is trusted', 1, '203.0.113.5', []],
    ['that is not there is nothing to be warned of', 0, null, []],
  ])('%s', async (_, trustProxy, forwardedFor, warnings) => {
    const http = await startHttpApp({ trustProxy });
    try {
      const headers: Record<string, string> = forwardedFor === null ? {} : { 'x-forwarded-for': forwardedFor };
      for (const path of ['/health/live', '/api/v1/nothing', '/api/v1/nothing']) {
        await http.call('GET', path, { headers });
      }
      expect(warned.mock.calls).toEqual(warnings);
    } finally {
      await http.close();
    }
  });
});
