import { createHash } from 'node:crypto';
import {
  OperatorIdentityProvider,
  OperatorInvitationRepository,
  OperatorRepository,
  OperatorSsoRepository,
  type AuditEntry,
  type Operator,
  type OperatorIdentity,
  type OperatorSession,
  type OperatorSsoRequest,
  type SsoDecision,
} from '#domain/operator';
import { DomainError } from '#domain/system';
import { actAs } from '../system/actor.js';
import { newSecret, SIGN_IN_LIFETIME_MS } from '../oauth/authorization-requests.js';
import type { OperatorSessions } from './operator-sessions.js';
import { SsoRequests, SsoService } from './sso.service.js';
import { SsoIdentities } from './sso-identities.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const ISSUER = 'https://id.example';
const MARA: OperatorIdentity = {
  issuer: ISSUER,
  subject: '1',
  verifiedEmail: 'mara@example.com',
  name: 'Mara Field',
  authenticatedAt: null,
};
const signal = new AbortController().signal;
const BROWSER = newSecret();

class ScriptedIdentityProvider extends OperatorIdentityProvider {
  override readonly label = 'SandboxState';
  readonly exchanges: Record<string, unknown>[] = [];
  decision: SsoDecision | DomainError = { state: 'identified', identity: MARA };
  isDown = false;

  override async endpoint() {
    if (this.isDown) throw new DomainError('ProviderTimeout', 'away');
    return {
      ...{ authorizationEndpoint: `${ISSUER}/authorize?realm=house`, clientId: 'cid', scopes: ['openid', 'email'] },
      isIssuer: (iss: string | undefined) => iss === undefined || iss === ISSUER,
    };
  }

  override async exchange({ signal: _, ...request }: Parameters<OperatorIdentityProvider['exchange']>[0]) {
    this.exchanges.push(request);
    if (this.decision instanceof DomainError) throw this.decision;
    return this.decision;
  }
}

/** What is kept of operators, their invitations and their identities. */
class Kept {
  readonly ssoRequests = new Map<string, OperatorSsoRequest>();
  readonly operators: (Operator & { identity: string | null })[] = [];
  readonly invitations = new Set<string>();
  readonly audited: AuditEntry[] = [];
  /** By the hash of the secret, in hex. */
  readonly sessions = new Map<string, OperatorSession>();

  add(email: string, identity: string | null = null): Operator {
    const operator = { id: `id of ${email}`, email, name: email, role: 'admin' as const, hasPassword: true };
    const dated = { ...operator, createdAt: new Date(NOW), lastSignInAt: null, identity };
    this.operators.push(dated);
    return dated;
  }

  get ports() {
    const find = (email: string) => this.operators.find((operator) => operator.email === email) ?? null;
    const of = ({ issuer, subject }: { issuer: string; subject: string }) => `${issuer} ${subject}`;
    const ssoRequests: Partial<OperatorSsoRepository> = {
      save: async (signOn) => void this.ssoRequests.set(signOn.stateHash.toString('hex'), signOn),
      take: async (stateHash) => {
        const taken = this.ssoRequests.get(stateHash.toString('hex')) ?? null;
        this.ssoRequests.delete(stateHash.toString('hex'));
        return taken;
      },
      operatorOf: async (identity) => this.operators.find((each) => each.identity === of(identity))?.id ?? null,
      link: async (operatorId, identity) => {
        if (this.operators.some((each) => each.identity === of(identity) && each.id !== operatorId)) {
          throw new DomainError('Conflict', 'taken');
        }
        for (const operator of this.operators) if (operator.id === operatorId) operator.identity = of(identity);
      },
    };
    const operators: Partial<OperatorRepository> = {
      find: async (id) => this.operators.find((operator) => operator.id === id) ?? null,
    };
    const invitations: Partial<OperatorInvitationRepository> = {
      accept: async (proof, { name, identity, passwordHash }) => {
        if (!('email' in proof) || identity === null || passwordHash !== null) throw new Error('not what was meant');
        if (!this.invitations.has(proof.email)) return null;
        if (find(proof.email) !== null) throw new DomainError('Conflict', 'known');
        this.invitations.delete(proof.email);
        return Object.assign(this.add(proof.email, of(identity)), { name });
      },
    };
    return {
      ssoRequests: ssoRequests as OperatorSsoRepository,
      operators: operators as OperatorRepository,
      invitations: invitations as OperatorInvitationRepository,
    };
  }
}

function fixture({ provider = new ScriptedIdentityProvider() }: { provider?: ScriptedIdentityProvider | null } = {}) {
  const kept = new Kept();
  const { ssoRequests, operators, invitations } = kept.ports;
  const audit = { record: async (entry: AuditEntry) => void kept.audited.push(entry) };
  const sessionTimes: (Date | undefined)[] = [];
  const sessions = {
    begin: async ({ email }: Operator, authenticatedAt?: Date) => {
      sessionTimes.push(authenticatedAt);
      return { secret: `session of ${email}` };
    },
    find: async (secretHash: Buffer) => kept.sessions.get(secretHash.toString('hex')) ?? null,
    isRecent: (at: Date) => NOW - at.getTime() < 300_000,
    renew: async ({ operator }: OperatorSession) => ({ secret: `renewed session of ${operator.email}` }),
  };
  const settings = {
    traceUrl: null,
    operatorUrl: 'https://api.example/',
    sessionIdleMs: 1,
    sessionMs: 1,
    hasPasswords: true,
  };
  const attempts = new SsoRequests(ssoRequests, settings, { nowMs: () => NOW });
  const begun = sessions as unknown as OperatorSessions;
  const identities = new SsoIdentities(ssoRequests, operators, invitations, begun, audit);
  const sso = new SsoService(provider ?? undefined, attempts, identities);
  const stateOf = (url: string) => new URL(url).searchParams.get('state') ?? '';
  const finish = (response: object, browser: string | null = BROWSER) =>
    actAs({ actor: 'network:192.0.2.1', requestId: 'r-1' }, () => sso.finish(response, browser, signal));
  return {
    ...{ kept, sso, finish, stateOf, sessionTimes },
    provider: provider ?? new ScriptedIdentityProvider(),
    async comeBack(response: object = { code: 'code' }, returnTo?: string) {
      return finish({ state: stateOf(await sso.begin(returnTo, BROWSER, signal)), ...response });
    },
    async reauthenticateAs(operator: Operator, response: object = { code: 'code' }) {
      const at = new Date(NOW);
      const times = { authenticatedAt: new Date(0), createdAt: at, lastUsedAt: at, idleUntil: at, endsAt: at };
      const session = { secretHash: Buffer.alloc(32, 7), operator, device: null, network: null, ...times };
      kept.sessions.set(session.secretHash.toString('hex'), session);
      const url = await sso.beginReauthentication(session, BROWSER, signal);
      return finish({ state: stateOf(url), ...response });
    },
    async linkAs({ id }: Operator, response: object = { code: 'code' }) {
      return finish({ state: stateOf(await sso.beginLink(id, BROWSER, signal)), ...response });
    },
  };
}

const rejected = (error: string) => ({ location: `/dashboard/sign-in?error=${error}`, session: null });
const inside = (email: string) => ({ location: '/dashboard', session: { secret: `session of ${email}` } });

describe('on the way to the identity provider', () => {
  it('a browser brings a request with PKCE, nonce and a state that is nowhere else', async () => {
    const { sso, kept, finish, provider, stateOf } = fixture();
    const url = await sso.begin('/dashboard/accounts', BROWSER, signal);
    const { state = '', nonce, code_challenge: challenge, ...sent } = Object.fromEntries(new URL(url).searchParams);
    expect(sent).toEqual({
      ...{ realm: 'house', response_type: 'code', client_id: 'cid', scope: 'openid email' },
      redirect_uri: 'https://api.example/api/operator/v1/sign-on/callback',
      code_challenge_method: 'S256',
    });
    const [signOn] = [...kept.ssoRequests.values()];
    expect(signOn?.expiresAt).toEqual(new Date(NOW + SIGN_IN_LIFETIME_MS));
    expect(JSON.stringify(signOn)).not.toContain(state);
    expect(JSON.stringify(signOn)).not.toContain(BROWSER);

    await finish({ state: stateOf(url), code: 'code' });
    const [{ codeVerifier, ...exchange } = {}] = provider.exchanges;
    const redirectUri = 'https://api.example/api/operator/v1/sign-on/callback';
    expect(exchange).toEqual({ code: 'code', nonce, redirectUri });
    expect(createHash('sha256').update(String(codeVerifier)).digest('base64url')).toBe(challenge);
  });

  it('is told when it cannot be asked', async () => {
    const { sso, provider } = fixture();
    provider.isDown = true;
    expect(await sso.begin(undefined, BROWSER, signal)).toBe('/dashboard/sign-in?error=unavailable');
    await expect(sso.beginLink('id', BROWSER, signal)).rejects.toMatchObject({ code: 'ProviderTimeout' });
  });

  it('is told when there is none', async () => {
    const { sso, finish } = fixture({ provider: null });
    expect(sso.label).toBeNull();
    expect(await sso.begin(undefined, BROWSER, signal)).toBe('/dashboard/sign-in?error=unavailable');
    expect(await finish({ state: newSecret(), code: 'code' })).toEqual(rejected('failed'));
    await expect(sso.beginLink('id', BROWSER, signal)).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('who comes back', () => {
  it('is the operator whom issuer and subject name, whatever the address is now', async () => {
    const { kept, comeBack, provider } = fixture();
    kept.add('before@example.com', `${ISSUER} 1`);
    expect(await comeBack()).toEqual(inside('before@example.com'));
    provider.decision = { state: 'identified', identity: { ...MARA, verifiedEmail: null } };
    expect(await comeBack({ code: 'code', iss: ISSUER }, '/dashboard/accounts')).toEqual({
      ...inside('before@example.com'),
      location: '/dashboard/accounts',
    });
    expect(kept.audited).toEqual([]);
  });

  it('becomes an operator without a password when the address was invited, once', async () => {
    const { kept, comeBack } = fixture();
    kept.invitations.add('mara@example.com');
    expect(await comeBack()).toEqual(inside('mara@example.com'));
    expect(kept.operators).toMatchObject([{ name: 'Mara Field', identity: `${ISSUER} 1` }]);
    expect(kept.audited).toEqual([
      {
        ...{ applicationId: null, requestId: 'r-1', action: 'operator.created' },
        ...{ actor: 'operator:mara@example.com', subject: 'operator:mara@example.com' },
      },
    ]);
    expect(kept.invitations.size).toBe(0);
    expect(await comeBack()).toEqual(inside('mara@example.com'));
  });

  it('is called by the address where there is no name', async () => {
    const { kept, comeBack, provider } = fixture();
    kept.invitations.add('mara@example.com');
    provider.decision = { state: 'identified', identity: { ...MARA, name: null } };
    await comeBack();
    expect(kept.operators).toMatchObject([{ name: 'mara@example.com' }]);
  });

  it('stays outside when nobody invited them, and that is recorded', async () => {
    const { kept, comeBack } = fixture();
    expect(await comeBack()).toEqual(rejected('not-invited'));
    expect(kept.audited).toEqual([
      {
        ...{ applicationId: null, actor: 'network:192.0.2.1', requestId: 'r-1' },
        ...{ action: 'operator.login-failed', subject: 'operator:mara@example.com' },
      },
    ]);
  });

  it.each([[true], [false]])(
    'does not get into the account of an operator with the same address (invited: %s)',
    async (isInvited) => {
      const { kept, comeBack } = fixture();
      kept.add('mara@example.com');
      if (isInvited) kept.invitations.add('mara@example.com');
      expect(await comeBack()).toEqual(rejected('not-invited'));
      expect(kept.operators).toMatchObject([{ identity: null }]);
    },
  );

  it('does not get in by an address that is not vouched for', async () => {
    const { kept, comeBack, provider } = fixture();
    kept.invitations.add('mara@example.com');
    provider.decision = { state: 'identified', identity: { ...MARA, verifiedEmail: null } };
    expect(await comeBack()).toEqual(rejected('email-unverified'));
    expect(kept.invitations.size).toBe(1);
    expect(kept.audited).toMatchObject([{ subject: `identity:${ISSUER} 1` }]);
  });

  it('is not the one whom another issuer calls the same', async () => {
    const { kept, comeBack } = fixture();
    kept.add('other@example.com', 'https://other.example 1');
    expect(await comeBack()).toEqual(rejected('not-invited'));
  });
});

describe('what comes back', () => {
  it.each<[object, string]>([
    [{ error: 'access_denied' }, 'denied'],
    [{ error: 'access_denied', code: 'code' }, 'denied'],
    [{ error: 'server_error' }, 'failed'],
    [{ code: 'code', iss: 'https://evil.example' }, 'failed'],
    [{ error: 'access_denied', iss: 'https://evil.example' }, 'failed'],
  ])('%j ends as %s', async (response, error) => {
    const { kept, comeBack, provider } = fixture();
    kept.invitations.add('mara@example.com');
    expect(await comeBack(response)).toEqual(rejected(error));
    expect(provider.exchanges).toEqual([]);
  });

  it('ends when the code is refused, and when nothing is decided', async () => {
    const { comeBack, provider } = fixture();
    const fault = { status: 400, code: 'invalid_grant', message: 'no', retryable: false };
    provider.decision = { state: 'rejected', error: fault };
    expect(await comeBack()).toEqual(rejected('failed'));
    provider.decision = new DomainError('ProviderUnavailable', 'away');
    expect(await comeBack()).toEqual(rejected('unavailable'));
  });

  it('does not hide a mistake of ours', async () => {
    const { kept, comeBack } = fixture();
    kept.invitations.has = () => {
      throw new TypeError('a mistake');
    };
    await expect(comeBack()).rejects.toThrow('a mistake');
  });

  it('N33 N34 is nothing without its browser, without its state, or a second time', async () => {
    const { kept, sso, finish, provider, stateOf } = fixture();
    kept.add('mara@example.com', `${ISSUER} 1`);
    const state = stateOf(await sso.begin(undefined, BROWSER, signal));
    const foreign: [object, string | null][] = [
      [{ state, code: 'code' }, null],
      [{ state, code: 'code' }, newSecret()],
      [{ state, code: 'code' }, `${BROWSER}x`],
      [{ state: newSecret(), code: 'code' }, BROWSER],
      [{ state: '', code: 'code' }, BROWSER],
      [{ code: 'code' }, BROWSER],
      [{ state }, BROWSER],
      [{ state, code: '' }, BROWSER],
    ];
    for (const [response, browser] of foreign) expect(await finish(response, browser)).toEqual(rejected('failed'));
    expect(provider.exchanges).toEqual([]);
    expect(await finish({ state, code: 'code' })).toEqual(inside('mara@example.com'));
    expect(await finish({ state, code: 'code' })).toEqual(rejected('failed'));
    expect(provider.exchanges).toHaveLength(1);
  });
});

describe('an operator who links an identity', () => {
  const profile = (error?: string) => ({
    location: `/dashboard/profile?${error === undefined ? 'linked=true' : `error=${error}`}`,
    session: null,
  });

  it('comes in by it from then on, also with another address there', async () => {
    const { kept, linkAs, comeBack } = fixture();
    const operator = kept.add('ada@example.com');
    expect(await linkAs(operator)).toEqual(profile());
    expect(kept.audited).toEqual([
      {
        ...{ applicationId: null, requestId: 'r-1', action: 'operator.identity-linked' },
        ...{ actor: 'operator:ada@example.com', subject: 'operator:ada@example.com' },
      },
    ]);
    expect(await comeBack()).toEqual(inside('ada@example.com'));
  });

  it.each<[string, object, string]>([
    ['cancels', { error: 'access_denied' }, 'denied'],
    ['is answered by somebody else', { code: 'code', iss: 'https://evil.example' }, 'failed'],
  ])('is told so at the profile when he %s', async (_, response, error) => {
    const { kept, linkAs } = fixture();
    expect(await linkAs(kept.add('ada@example.com'), response)).toEqual(profile(error));
    expect(kept.operators).toMatchObject([{ identity: null }]);
  });

  it('cannot take the identity of another operator', async () => {
    const { kept, linkAs } = fixture();
    kept.add('mara@example.com', `${ISSUER} 1`);
    expect(await linkAs(kept.add('ada@example.com'))).toEqual(profile('taken'));
    expect(kept.audited).toEqual([]);
  });

  it('links nothing after having been removed', async () => {
    const { kept, linkAs } = fixture();
    const operator = kept.add('ada@example.com');
    kept.operators.length = 0;
    expect(await linkAs(operator)).toEqual(profile('failed'));
  });
});

describe('an operator who proves once more who they are', () => {
  const ended = (error?: string) => `/dashboard/signed-in-again${error === undefined ? '' : `?error=${error}`}`;
  const identified = (authenticatedAt: Date | null) => ({
    ...{ state: 'identified' as const },
    identity: { ...MARA, authenticatedAt },
  });

  it('is asked at the identity provider although they are signed in there', async () => {
    const { kept, sso } = fixture();
    const session = { secretHash: Buffer.alloc(32, 7), operator: kept.add('mara@example.com') } as OperatorSession;
    const { searchParams } = new URL(await sso.beginReauthentication(session, BROWSER, signal));
    expect([searchParams.get('prompt'), searchParams.get('max_age')]).toEqual(['login', '0']);
    const plain = new URL(await sso.begin(undefined, BROWSER, signal)).searchParams;
    expect([plain.get('prompt'), plain.get('max_age')]).toEqual([null, null]);
    const none = fixture({ provider: null }).sso;
    await expect(none.beginReauthentication(session, BROWSER, signal)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('goes on with a renewed session', async () => {
    const { kept, reauthenticateAs, provider } = fixture();
    provider.decision = identified(new Date(NOW - 4_000));
    expect(await reauthenticateAs(kept.add('ada@example.com', `${ISSUER} 1`))).toEqual({
      location: ended(),
      session: { secret: 'renewed session of ada@example.com' },
    });
  });

  it.each<[string, Date | null]>([
    ['does not say when', null],
    ['has not asked for five minutes', new Date(NOW - 300_000)],
  ])('has proven nothing when the identity provider %s', async (_, authenticatedAt) => {
    const { kept, reauthenticateAs, provider } = fixture();
    provider.decision = identified(authenticatedAt);
    const proof = await reauthenticateAs(kept.add('ada@example.com', `${ISSUER} 1`));
    expect(proof).toEqual({ location: ended('not-asked'), session: null });
  });

  it.each([[null], ['https://id.example 2']])('is not somebody else, and that is recorded (%s)', async (identity) => {
    const { kept, reauthenticateAs, provider } = fixture();
    provider.decision = identified(new Date(NOW));
    kept.add('mara@example.com', `${ISSUER} 1`);
    const proof = await reauthenticateAs(kept.add('ada@example.com', identity));
    expect(proof).toEqual({ location: ended('somebody-else'), session: null });
    expect(kept.audited).toMatchObject([{ action: 'operator.login-failed', subject: 'operator:mara@example.com' }]);
  });

  it('is told so at the page that they come back to when it was cancelled, or the session is over', async () => {
    const { kept, reauthenticateAs, finish, sso, stateOf, provider } = fixture();
    provider.decision = identified(new Date(NOW));
    const operator = kept.add('ada@example.com', `${ISSUER} 1`);
    const denied = await reauthenticateAs(operator, { error: 'access_denied' });
    expect(denied).toEqual({ location: ended('denied'), session: null });
    const [session] = [...kept.sessions.values()];
    const state = stateOf(await sso.beginReauthentication(session!, BROWSER, signal));
    kept.sessions.clear();
    expect(await finish({ state, code: 'code' })).toEqual({ location: ended('failed'), session: null });
  });

  it('has not done so by a sign-in that the identity provider did not ask them for', async () => {
    const { kept, comeBack, provider, sessionTimes } = fixture();
    kept.add('ada@example.com', `${ISSUER} 1`);
    await comeBack();
    provider.decision = identified(new Date(NOW - 7_200_000));
    await comeBack();
    expect(sessionTimes).toEqual([new Date(0), new Date(NOW - 7_200_000)]);
  });
});
