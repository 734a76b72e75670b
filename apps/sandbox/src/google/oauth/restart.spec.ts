import { createLocalJWKSet, jwtVerify } from 'jose';
import { Grants } from '../../oauth/grants.js';
import { SigningKey } from '../../oauth/signing-key.js';
import type { GoogleUser } from '../contract.js';
import { UserDirectory } from '../users.js';
import { ClientRegistry, type OAuthClient } from './clients.js';
import { IdTokens } from './id-tokens.js';
import { googleTokenRules } from './token-rules.js';

const DAY_MS = 86_400_000;
const CALENDAR = 'https://www.googleapis.com/auth/calendar';
const CLIENT: OAuthClient = {
  clientId: 'cid-1',
  clientSecret: 'secret-1',
  redirectUris: ['http://127.0.0.1:9/callback'],
  publishing: 'testing',
  rotateRefreshTokens: false,
};

/** The side of Google that signs users in, from one life to the next. */
class SignInSide {
  now = Date.parse('2026-11-21T09:00:00.000Z');
  readonly clock = { nowMs: (): number => this.now };
  readonly users = new UserDirectory();
  readonly clients = new ClientRegistry();
  readonly grants = new Grants<GoogleUser>(this.clock, googleTokenRules(this.clients));
  readonly signingKey = new SigningKey();
  readonly idTokens = new IdTokens(this.clock, this.signingKey);

  restarted(): SignInSide {
    const text = JSON.stringify({
      users: this.users.all(),
      clients: this.clients.snapshot(),
      grants: this.grants.snapshot(),
      signingKey: this.signingKey.snapshot(),
    });
    const { users, clients, grants, signingKey } = JSON.parse(text);
    const after = new SignInSide();
    after.now = this.now;
    after.users.restore(users);
    after.clients.restore(clients);
    after.grants.restore(grants, ({ email }) => after.users.find(email));
    after.signingKey.restore(signingKey);
    return after;
  }
}

describe('consents and tokens after a restart', () => {
  let side: SignInSide;
  beforeEach(() => {
    side = new SignInSide();
    side.clients.put(CLIENT);
  });

  const ada = () => side.users.find('ada@example.com') ?? side.users.add({ email: 'Ada@example.com' });
  const consent = () => side.grants.extend(ada(), CLIENT.clientId, ['openid', CALENDAR], ['openid', CALENDAR, 'email']);

  it('are those of the same user', () => {
    const grant = consent();
    const refreshToken = side.grants.issueRefreshToken(grant, grant.scopes);
    const accessToken = side.grants.issueAccessToken(grant, new Set([CALENDAR]), true);
    const { grants, users } = side.restarted();
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
    const text = side.grants.issueRefreshToken(grant, grant.scopes);
    const { grants, users } = side.restarted();
    grants.find(users.find('ada@example.com')!, CLIENT.clientId)!.scopes.delete(CALENDAR);
    expect(grants.scopesOf(grants.refreshToken(text)!)).toEqual(new Set(['openid']));
  });

  it('age as before', () => {
    const grant = consent();
    const accessToken = side.grants.issueAccessToken(grant, grant.scopes, true);
    const refreshToken = side.grants.issueRefreshToken(grant, grant.scopes);
    side.now += 6 * DAY_MS;
    const after = side.restarted();
    expect(after.grants.accessToken(accessToken)).toBeUndefined();
    expect(after.grants.isLive(after.grants.refreshToken(refreshToken)!)).toBe(true);
    after.now += DAY_MS;
    expect(after.grants.isLive(after.grants.refreshToken(refreshToken)!)).toBe(false);
  });

  it('stay revoked, each as it was', () => {
    const grant = consent();
    const [ended, kept] = [
      side.grants.issueRefreshToken(grant, grant.scopes),
      side.grants.issueRefreshToken(grant, grant.scopes),
    ];
    side.grants.endRefreshToken(side.grants.refreshToken(ended)!);
    const { grants } = side.restarted();
    expect(grants.isLive(grants.refreshToken(ended)!)).toBe(false);
    expect(grants.isLive(grants.refreshToken(kept)!)).toBe(true);
  });

  it('of an account that was deleted do not pass to the next one with its address', () => {
    const grant = consent();
    const text = side.grants.issueRefreshToken(grant, grant.scopes);
    const gone = side.users.remove('ada@example.com')!;
    side.grants.revoke(gone);
    ada();
    const { grants, users } = side.restarted();
    expect(grants.find(users.find('ada@example.com')!, CLIENT.clientId)).toBeUndefined();
    expect(grants.refreshToken(text)?.grant.user).toEqual(gone);
    expect(grants.isLive(grants.refreshToken(text)!)).toBe(false);
  });

  it('still end with the oldest of a hundred', () => {
    const grant = consent();
    const texts = Array.from({ length: 100 }, () => side.grants.issueRefreshToken(grant, grant.scopes));
    const { grants, users } = side.restarted();
    const restored = grants.find(users.find('ada@example.com')!, CLIENT.clientId)!;
    grants.issueRefreshToken(restored, restored.scopes);
    expect(texts.map((text) => grants.isLive(grants.refreshToken(text)!)).indexOf(true)).toBe(1);
  });
});

describe('clients after a restart', () => {
  it('are known, and so are those that were deleted', () => {
    const side = new SignInSide();
    side.clients.put(CLIENT);
    side.clients.put({ ...CLIENT, clientId: 'cid-2' });
    side.clients.delete('cid-2');
    const { clients } = side.restarted();
    expect(clients.find('cid-1')).toEqual(CLIENT);
    expect([clients.wasDeleted('cid-1'), clients.wasDeleted('cid-2')]).toEqual([false, true]);
  });
});

describe('the signing key after a restart', () => {
  const about = { clientId: 'cid-1', scopes: new Set(['openid']), accessToken: 'a', nonce: null };

  it('is the same one', async () => {
    const side = new SignInSide();
    const user = side.users.add({ email: 'ada@example.com' });
    const keySet = await side.signingKey.keySet();
    const { idTokens, signingKey, clock } = side.restarted();
    expect(await signingKey.keySet()).toEqual(keySet);
    const token = await idTokens.sign({ ...about, user });
    const currentDate = new Date(clock.nowMs());
    await expect(jwtVerify(token, createLocalJWKSet(keySet), { currentDate })).resolves.toBeDefined();
  });

  it('is never shown with its private half', async () => {
    const [key] = (await new SignInSide().signingKey.keySet()).keys;
    expect(Object.keys(key!).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('is made when there was none yet', async () => {
    const { signingKey } = new SignInSide().restarted();
    expect((await signingKey.keySet()).keys).toHaveLength(1);
  });
});
