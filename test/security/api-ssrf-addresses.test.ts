import { blockedUrls } from '../support/blocked-urls.js';
import { FaultServer } from '../support/fault-server.js';
import { startService, type Answer, type Service } from '../support/service.js';

/** Nobody may connect to these. */
let traps: FaultServer[];
/** As installed: nothing private is allowed. */
let service: Service;

beforeAll(async () => {
  traps = [await FaultServer.start(), await FaultServer.start({ host: '::1' })];
  service = await startService({ RATE_LIMIT_RPS: '100000' });
});

afterAll(async () => {
  await service?.stop();
  await Promise.all(traps.map((trap) => trap.close()));
});

function connect(serverUrl: string): Promise<Answer> {
  const body = { serverUrl, email: 'alice@example.test', password: 'correct horse battery' };
  return service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, { body });
}

function expectTrapsUntouched(): void {
  expect(traps.map(({ connectionCount }) => connectionCount)).toEqual([0, 0]);
}

describe('N22 a serverUrl that is not public', () => {
  it('is refused in every spelling, on every way in, and nothing is dialled or stored', async () => {
    const [trap] = traps as [FaultServer];
    const spellings = [...blockedUrls(trap.port), ...blockedUrls(443).filter((_, index) => index % 5 === 0)];
    expect(spellings.length).toBeGreaterThan(150);
    for (const serverUrl of spellings) {
      const withoutScheme = serverUrl.slice('https://'.length);
      const login = { email: 'x', password: 'x', providerType: 'CALDAV', serverUrl: withoutScheme };
      const responses = [await connect(serverUrl), await service.call('POST', '/v1/endUserAccounts', { body: login })];
      // What is no URL at all is told to be none.
      const code = URL.canParse(serverUrl)
        ? 'ServerNotAllowed'
        : expect.stringMatching(/^(ServerNotAllowed|ValidationFailed)$/);
      for (const { status, body } of responses) expect([serverUrl, status, body.code]).toEqual([serverUrl, 400, code]);
      expect(responses[1]?.body.message).toBe(responses[0]?.body.message);
    }
    expectTrapsUntouched();
    expect((await service.call('GET', '/v1/endUserAccounts')).body.data).toEqual([]);
  });

  it.each([
    'http://dav.example/',
    'ftp://dav.example/',
    'file:///etc/passwd',
    'gopher://dav.example/',
    'unix:/var/run/docker.sock',
    'data:text/xml,x',
    'javascript:alert(1)',
    'https://alice:secret@dav.example/',
    'https://alice@dav.example/',
    'https://dav.example:22/',
    'https://dav.example:25/',
    'https://dav.example:6379/',
    'https://dav.example:99999/',
    'https://dav.exa mple/',
    'https://',
    'https:///x',
    'https://dav.example\t.127.0.0.1/',
    '\u0001',
  ])('N26 %j is refused', async (serverUrl) => {
    const { status, body } = await connect(serverUrl);
    expect([status, body.code]).toEqual([400, expect.stringMatching(/^(ServerNotAllowed|ValidationFailed)$/)]);
    expect(JSON.stringify(body)).not.toContain('secret');
    expectTrapsUntouched();
  });
});
