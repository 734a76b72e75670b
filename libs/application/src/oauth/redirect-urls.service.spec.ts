import type { Environment } from '#domain/applications';
import type { AuditEntry } from '#domain/operator';
import { knownApplications } from '../../testing/known-records.js';
import { RedirectUrlsService } from './redirect-urls.service.js';

function fixture(environment: Environment = 'development') {
  const urls: string[] = [];
  const audited: AuditEntry[] = [];
  const service = new RedirectUrlsService(
    {
      list: async () => [...urls],
      add: async (_, url) => !urls.includes(url) && urls.push(url) > 0,
      remove: async (_, url) => urls.includes(url) && urls.splice(urls.indexOf(url), 1).length > 0,
      replace: async (_, from, to) => urls.includes(from) && urls.splice(urls.indexOf(from), 1, to).length > 0,
    },
    knownApplications('app', environment),
    { record: async (entry: AuditEntry) => void audited.push(entry) },
    { run: (_, work) => work() },
  );
  return { service, urls, audited };
}

const URL_A = 'https://app.example/callback';
const entry = (action: string, url = URL_A) => ({
  applicationId: 'app',
  actor: 'ops',
  action,
  subject: `redirect-url:${url}`,
  requestId: null,
});

describe('RedirectUrlsService', () => {
  it('adds, lists and removes, and records who did it', async () => {
    const { service, audited } = fixture();
    const view = { applicationId: 'app', url: URL_A };
    expect(await service.add('app', URL_A)).toEqual(view);
    await expect(service.add('app', URL_A)).rejects.toMatchObject({ code: 'Conflict' });
    expect(await service.list('app')).toEqual([view]);
    await service.remove('app', URL_A);
    await expect(service.remove('app', URL_A)).rejects.toMatchObject({ code: 'NotFound' });
    expect(audited).toEqual([entry('redirect-url.added'), entry('redirect-url.removed')]);
  });

  it.each([
    'https://app.example/',
    'https://app.example',
    'https://app.example:8443/a/b?tenant=a%20b&x',
    'https://[2001:db8::1]/callback',
    'https://xn--bcher-kva.example/callback',
    'https://192.0.2.1/callback',
    'http://localhost',
    'http://localhost:3000/callback',
    'http://127.0.0.1:3000/callback',
    'http://[::1]:3000/callback',
    `https://app.example/${'a'.repeat(1_980)}`,
  ])('takes %s as it is written', async (url) => {
    const { service, urls } = fixture();
    await service.add('app', url);
    expect(urls).toEqual([url]);
  });

  it.each([
    ['nothing', ''],
    ['a path', '/callback'],
    ['no scheme', 'app.example/callback'],
    ['a scheme-relative URL', '//app.example/callback'],
    ['script', 'javascript:alert(1)//https://app.example'],
    ['data', 'data:text/html,x'],
    ['an app scheme', 'com.example.app:/callback'],
    ['plain http', 'http://app.example/callback'],
    ['plain http to a name that only looks local', 'http://localhost.example/callback'],
    ['plain http to a private address', 'http://192.168.0.1/callback'],
    ['a user name', 'https://app.example@evil.example/'],
    ['a password', 'https://:x@app.example/'],
    ['an empty user name', 'https://@app.example/'],
    ['a fragment', 'https://app.example/callback#x'],
    ['an empty fragment', 'https://app.example/callback#'],
    ['capitals in the host', 'https://App.example/callback'],
    ['capitals in the scheme', 'HTTPS://app.example/callback'],
    ['the default port', 'https://app.example:443/callback'],
    ['dots in the path', 'https://app.example/a/../callback'],
    ['encoded dots in the path', 'https://app.example/a/%2e%2e/callback'],
    ['a backslash', 'https://app.example\\callback'],
    ['a space before', ' https://app.example/callback'],
    ['a space within', 'https://app.example/call back'],
    ['a line break', 'https://app.example/call\r\nback'],
    ['a NUL', 'https://app.example/call\0back'],
    ['letters that need encoding', 'https://app.example/ü'],
    ['an international host', 'https://bücher.example/callback'],
    ['another spelling of an address', 'http://2130706433/callback'],
    ['a slash too few', 'https:/app.example/callback'],
    ['no slash before the query', 'https://app.example?x'],
    ['too many characters', `https://app.example/${'a'.repeat(1_981)}`],
    ['a lone surrogate', 'https://app.example/\ud800'],
  ])('N37 refuses %s', async (_what, url) => {
    const { service, urls, audited } = fixture();
    await expect(service.add('app', url)).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [expect.objectContaining({ path: 'url' })],
    });
    expect([urls, audited]).toEqual([[], []]);
  });

  it.each([
    'http://localhost:3000/callback',
    'http://127.0.0.1/callback',
    'https://localhost/callback',
    'https://app.localhost/callback',
    'https://localhost./callback',
    'https://127.1.2.3/callback',
    'https://[::1]/callback',
    'https://[::ffff:7f00:1]/callback',
  ])('refuses %s in production, and takes what else there is', async (url) => {
    const { service, urls } = fixture('production');
    await expect(service.add('app', url)).rejects.toMatchObject({ code: 'ValidationFailed' });
    await service.add('app', URL_A);
    await service.add('app', 'https://localhost.example/callback');
    expect(urls).toEqual([URL_A, 'https://localhost.example/callback']);
  });

  it('moves one to another address, where it keeps its place', async () => {
    const { service, urls, audited } = fixture();
    const [old, other, now] = ['http://localhost:4013/connected', URL_A, 'http://localhost:5013/connected'];
    for (const url of [old, other]) await service.add('app', url);
    audited.length = 0;
    await service.move('app', old, now);
    expect(urls).toEqual([now, other]);
    expect(audited).toEqual([entry('redirect-url.removed', old), entry('redirect-url.added', now)]);
    await service.add('app', old);
    await service.move('app', now, old);
    expect(urls).toEqual([old, other]);
    await expect(service.move('app', now, old)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(service.move('app', old, 'http://app.example/')).rejects.toMatchObject({ code: 'ValidationFailed' });
  });

  it('says how a URL is to be written', async () => {
    const rejected = fixture().service.add('app', 'https://App.example:443/callback');
    await expect(rejected).rejects.toThrow('url: must be written as https://app.example/callback');
  });

  it('knows no application that is not there', async () => {
    const { service, audited } = fixture();
    for (const call of [
      () => service.add('other', URL_A),
      () => service.list('other'),
      () => service.remove('other', URL_A),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'NotFound' });
    }
    expect(audited).toEqual([]);
  });
});
