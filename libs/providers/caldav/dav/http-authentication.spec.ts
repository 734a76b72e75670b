import { createHash } from 'node:crypto';
import { Authenticator, parseChallenges } from './http-authentication.js';

describe('parseChallenges', () => {
  it('takes several challenges in one header apart', () => {
    expect(
      parseChallenges('X-MobileMe-AuthToken realm="a, b", Basic realm="say \\"hi\\"", charset=UTF-8, Negotiate abc=='),
    ).toEqual([
      { scheme: 'x-mobileme-authtoken', parameters: { realm: 'a, b' } },
      { scheme: 'basic', parameters: { realm: 'say "hi"', charset: 'UTF-8' } },
      { scheme: 'negotiate', parameters: {} },
      { scheme: 'abc==', parameters: {} },
    ]);
  });

  it('ends quickly on hostile headers', () => {
    const started = process.threadCpuUsage();
    parseChallenges(`${'a'.repeat(100_000)} ${'b="'.repeat(50_000)}`);
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(2_000);
  });
});

describe('Authenticator', () => {
  it('sends Basic at once, in UTF-8', () => {
    const sent = new Authenticator('jürgen', 'пароль🔑').authorization('GET', '/');
    expect(Buffer.from(sent.slice(6), 'base64').toString('utf8')).toBe('jürgen:пароль🔑');
  });

  it('takes a refused Basic for final when Basic is offered', () => {
    const authenticator = new Authenticator('a', 'b');
    const sent = authenticator.authorization('GET', '/');
    expect(authenticator.challenged(sent, 'X-MobileMe-AuthToken realm="x", Basic realm="x"')).toBe('rejected');
    expect(authenticator.challenged(sent, undefined)).toBe('rejected');
    expect(authenticator.challenged(sent, 'Bearer realm="x"')).toBe('unsupported');
    expect(authenticator.challenged(sent, 'Digest realm="x", nonce="n", algorithm=MD5-sess, qop="auth"')).toBe(
      'unsupported',
    );
  });

  // RFC 7616 §3.9.1, with our own cnonce.
  it('computes Digest with SHA-256 before MD5', () => {
    const authenticator = new Authenticator('Mufasa', 'Circle of Life');
    const header =
      'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/x", opaque="FQ", Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=SHA-256, nonce="7ypf/x", opaque="FQ"';
    expect(authenticator.challenged(authenticator.authorization('GET', '/dir'), header)).toBe('repeat');
    const sent = authenticator.authorization('GET', '/dir/index.html');
    const field = (name: string) => new RegExp(`${name}="?([^",]+)`).exec(sent)?.[1] ?? '';
    const h = (text: string) => createHash('sha256').update(text).digest('hex');
    const a1 = h('Mufasa:http-auth@example.org:Circle of Life');
    expect(field('response')).toBe(h(`${a1}:7ypf/x:00000001:${field('cnonce')}:auth:${h('GET:/dir/index.html')}`));
    expect(field('algorithm')).toBe('SHA-256');
    expect(authenticator.authorization('GET', '/')).toContain('nc=00000002');
  });

  it('repeats a Digest request only for a new nonce', () => {
    const authenticator = new Authenticator('Mufasa', 'x');
    const header = (nonce: string, stale = '') => `Digest realm="r", qop="auth", nonce="${nonce}"${stale}`;
    authenticator.challenged(authenticator.authorization('GET', '/'), header('one'));
    expect(authenticator.challenged(authenticator.authorization('GET', '/'), header('one'))).toBe('rejected');
    expect(authenticator.challenged(authenticator.authorization('GET', '/'), header('one', ', stale=true'))).toBe(
      'repeat',
    );
    expect(authenticator.challenged(authenticator.authorization('GET', '/'), header('two'))).toBe('repeat');
  });

  it('writes a login that is not ASCII in the extended form', () => {
    const authenticator = new Authenticator('jürgen', 'x');
    authenticator.challenged(authenticator.authorization('GET', '/'), 'Digest realm="r", qop="auth", nonce="n"');
    expect(authenticator.authorization('GET', '/')).toContain("username*=UTF-8''j%C3%BCrgen");
  });
});
