import { createLocalJWKSet, jwtVerify } from 'jose';
import { SandboxClock } from '../clock.js';
import { Journal } from '../journal.js';
import { GoogleSandbox } from './google-sandbox.js';
import type { GoogleClient } from './oauth/dialect.js';

const DAY_MS = 86_400_000;
const CALENDAR = 'https://www.googleapis.com/auth/calendar';
const CLIENT: GoogleClient = {
  clientId: 'cid-1',
  clientSecret: 'secret-1',
  redirectUris: ['http://127.0.0.1:9/callback'],
  publishing: 'testing',
  rotateRefreshTokens: false,
};

/** Google, from one life to the next. */
class Life {
  readonly clock = new SandboxClock();
  readonly google = new GoogleSandbox({ clock: this.clock, journal: new Journal(this.clock) });
  readonly users = this.google.users;
  readonly clients = this.google.oauth.clients;
  readonly grants = this.google.oauth.grants;
  readonly signingKey = this.google.signingKey;

  restarted(): Life {
    const after = new Life();
    after.clock.offsetMs = this.clock.offsetMs;
    after.google.memory.restore(JSON.parse(JSON.stringify(this.google.memory.snapshot())));
    after.grants.deleteEndedAccessTokens();
    return after;
  }
}

describe('consents and tokens after a restart', () => {
  let life: Life;
  beforeEach(() => {
    life = new Life();
    life.clients.put(CLIENT);
  });

  const ada = () => life.users.find('ada@example.com') ?? life.users.add({ email: 'Ada@example.com' });
  const consent = () => life.grants.extend(ada(), CLIENT.clientId, ['openid', CALENDAR], ['openid', CALENDAR, 'email']);

  it('are those of the same user', () => {
    const grant = consent();
    const refreshToken = life.grants.issueRefreshToken(grant, grant.scopes);
    const accessToken = life.grants.issueAccessToken(grant, new Set([CALENDAR]), true);
    const { grants, users } = life.restarted();
    const user = users.find('ada@example.com')!;
    expect(user).toEqual(ada());
    const restored = grants.find(user, CLIENT.clientId)!;
    expect(restored).toEqual(grant);
    expect(grants.refreshToken(refreshToken)?.grant).toBe(restored);
    expect(grants.accessToken(accessToken)).toMatchObject({ isOffline: true, scopes: new Set([CALENDAR]) });
    expect(grants.accessToken(accessToken)?.grant).toBe(restored);
    expect(grants.revoke(user)).toBe(1);
    expect(grants.isLive(grants.refreshToken(refreshToken)!)).toBe(false);
  });

  it('lose scopes with their grant, and get no others', () => {
    const grant = consent();
    const text = life.grants.issueRefreshToken(grant, grant.scopes);
    const { grants, users } = life.restarted();
    grants.find(users.find('ada@example.com')!, CLIENT.clientId)!.scopes.delete(CALENDAR);
    expect(grants.scopesOf(grants.refreshToken(text)!)).toEqual(new Set(['openid']));
  });

  it('age as before', () => {
    const grant = consent();
    const accessToken = life.grants.issueAccessToken(grant, grant.scopes, true);
    const refreshToken = life.grants.issueRefreshToken(grant, grant.scopes);
    life.clock.advance(6 * DAY_MS);
    const after = life.restarted();
    expect(after.grants.accessToken(accessToken)).toBeUndefined();
    expect(after.grants.isLive(after.grants.refreshToken(refreshToken)!)).toBe(true);
    after.clock.advance(DAY_MS);
    expect(after.grants.isLive(after.grants.refreshToken(refreshToken)!)).toBe(false);
  });

  it('stay revoked, each as it was', () => {
    const grant = consent();
    const [ended, kept] = [
      life.grants.issueRefreshToken(grant, grant.scopes),
      life.grants.issueRefreshToken(grant, grant.scopes),
    ];
    life.grants.endRefreshToken(life.grants.refreshToken(ended)!);
    const { grants } = life.restarted();
    expect(grants.isLive(grants.refreshToken(ended)!)).toBe(false);
    expect(grants.isLive(grants.refreshToken(kept)!)).toBe(true);
  });

  it('of an account that was deleted do not pass to the next one with its address', () => {
    const grant = consent();
    const text = life.grants.issueRefreshToken(grant, grant.scopes);
    const gone = life.users.remove('ada@example.com')!;
    life.grants.revoke(gone);
    ada();
    const { grants, users } = life.restarted();
    expect(grants.find(users.find('ada@example.com')!, CLIENT.clientId)).toBeUndefined();
    expect(grants.refreshToken(text)?.grant.user).toEqual(gone);
    expect(grants.isLive(grants.refreshToken(text)!)).toBe(false);
  });

  it('still end with the oldest of a hundred', () => {
    const grant = consent();
    const texts = Array.from({ length: 100 }, () => life.grants.issueRefreshToken(grant, grant.scopes));
    const { grants, users } = life.restarted();
    const restored = grants.find(users.find('ada@example.com')!, CLIENT.clientId)!;
    grants.issueRefreshToken(restored, restored.scopes);
    expect(texts.map((text) => grants.isLive(grants.refreshToken(text)!)).indexOf(true)).toBe(1);
  });
});

describe('clients after a restart', () => {
  it('are known, and so are those that were deleted', () => {
    const life = new Life();
    life.clients.put(CLIENT);
    life.clients.put({ ...CLIENT, clientId: 'cid-2' });
    life.clients.delete('cid-2');
    const { clients } = life.restarted();
    expect(clients.find('cid-1')).toEqual(CLIENT);
    expect([clients.wasDeleted('cid-1'), clients.wasDeleted('cid-2')]).toEqual([false, true]);
  });
});

describe('the signing key after a restart', () => {
  it('is the same one', async () => {
    const life = new Life();
    const keySet = await life.signingKey.keySet();
    const { signingKey } = life.restarted();
    expect(await signingKey.keySet()).toEqual(keySet);
    const token = await signingKey.sign({ sub: '1' });
    await expect(jwtVerify(token, createLocalJWKSet(keySet))).resolves.toBeDefined();
  });

  it('is never shown with its private half', async () => {
    const [key] = (await new Life().signingKey.keySet()).keys;
    expect(Object.keys(key!).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('is made when there was none yet', async () => {
    const { signingKey } = new Life().restarted();
    expect((await signingKey.keySet()).keys).toHaveLength(1);
  });
});
