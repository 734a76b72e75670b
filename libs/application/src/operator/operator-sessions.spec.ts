import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  OperatorSessionRepository,
  type NewOperatorSession,
  type OperatorRepository,
  type OperatorSession,
} from '#domain/operator';
import { ADA } from '../../testing/known-records.js';
import { inBrowser } from './operator-browser.js';
import type { OperatorDevices } from './operator-devices.js';
import { OperatorSessions, type OperatorSettings, type AuthenticatedSession } from './operator-sessions.js';

const MINUTE_MS = 60_000;

/** In memory, as the table keeps them. */
class MemorySessions extends OperatorSessionRepository {
  readonly rows = new Map<string, OperatorSession>();
  touches = 0;

  override create(session: NewOperatorSession): Promise<void> {
    this.rows.set(session.secretHash.toString('hex'), { ...session, operator: ADA, lastUsedAt: session.createdAt });
    return Promise.resolve();
  }

  override find(secretHash: Buffer): Promise<OperatorSession | null> {
    return Promise.resolve(this.rows.get(secretHash.toString('hex')) ?? null);
  }

  override async list(): Promise<OperatorSession[]> {
    return [...this.rows.values()];
  }

  override async touch(secretHash: Buffer, used: { idleUntil: Date; lastUsedAt: Date }): Promise<void> {
    this.touches += 1;
    const session = await this.find(secretHash);
    if (session !== null) Object.assign(session, used);
  }

  override async renew(
    secretHash: Buffer,
    renewed: Pick<OperatorSession, 'secretHash' | 'authenticatedAt'>,
  ): Promise<boolean> {
    const session = await this.find(secretHash);
    if (session === null) return false;
    this.rows.delete(secretHash.toString('hex'));
    this.rows.set(renewed.secretHash.toString('hex'), { ...session, ...renewed });
    return true;
  }

  override async endOthers(_: string, secretHash: Buffer): Promise<void> {
    for (const key of [...this.rows.keys()]) if (key !== secretHash.toString('hex')) this.rows.delete(key);
  }

  override end(secretHash: Buffer): Promise<boolean> {
    return Promise.resolve(this.rows.delete(secretHash.toString('hex')));
  }
}

let nowMs: number;
let stored: MemorySessions;
let sessions: OperatorSessions;
let actions: string[];
let settings: { -readonly [Name in keyof OperatorSettings]: OperatorSettings[Name] };

const authenticated = async (secret: string): Promise<AuthenticatedSession> => {
  const session = await sessions.authenticate(secret);
  if (session === null) throw new Error('there is no session');
  return session;
};

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 21);
  stored = new MemorySessions();
  actions = [];
  settings = {
    operatorUrl: 'https://calendar.example.com',
    sessionIdleMs: 30 * MINUTE_MS,
    sessionMs: 720 * MINUTE_MS,
    hasPasswords: true,
    traceUrl: null,
  };
  sessions = new OperatorSessions(
    stored,
    { recordSignIn: () => Promise.resolve() } as unknown as OperatorRepository,
    { record: ({ action }) => Promise.resolve(void actions.push(action)) },
    { nowMs: () => nowMs },
    settings,
    { issue: () => Promise.resolve(null) } as unknown as OperatorDevices,
  );
});

describe('N60 a session', () => {
  it('is told by 256 random bits, of which a hash is kept', async () => {
    const [one, other] = [await sessions.begin(ADA), await sessions.begin(ADA)];
    expect(one.secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(one.secret).not.toBe(other.secret);
    expect(one.session.csrfToken).not.toBe(other.session.csrfToken);
    const kept = JSON.stringify([...stored.rows]);
    for (const text of [one.secret, one.session.csrfToken]) expect(kept).not.toContain(text);
    expect(await sessions.authenticate(one.secret)).toMatchObject({ operator: ADA, csrfToken: one.session.csrfToken });
  });

  it('ends after half an hour without a request', async () => {
    const { secret } = await sessions.begin(ADA);
    nowMs += 30 * MINUTE_MS - 1;
    expect(await sessions.authenticate(secret)).not.toBeNull();
    nowMs += 30 * MINUTE_MS;
    expect(await sessions.authenticate(secret)).toBeNull();
  });

  it('ends for lack of people, although a page that was left open goes on asking', async () => {
    const { secret } = await sessions.begin(ADA);
    for (let minutes = 0; minutes < 30; minutes += 5) {
      expect(await sessions.authenticate(secret, false)).not.toBeNull();
      nowMs += 5 * MINUTE_MS;
    }
    expect(await sessions.authenticate(secret, false)).toBeNull();
    expect(stored.touches).toBe(0);
  });

  it('ends after twelve hours, however busy it is', async () => {
    const { secret } = await sessions.begin(ADA);
    const endMs = nowMs + 720 * MINUTE_MS;
    for (; nowMs < endMs; nowMs += 20 * MINUTE_MS) {
      const session = await sessions.authenticate(secret);
      expect(session?.idleUntil.getTime()).toBeLessThanOrEqual(endMs);
    }
    expect(await sessions.authenticate(secret)).toBeNull();
  });

  it('is written to once a minute at most', async () => {
    const { secret } = await sessions.begin(ADA);
    for (let request = 0; request < 120; request += 1) {
      nowMs += 1_000;
      await sessions.authenticate(secret);
    }
    expect(stored.touches).toBe(2);
  });

  it.each(['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}!`])('is not looked for by %p', async (secret) => {
    stored.find = () => Promise.reject(new Error('asked'));
    expect(await sessions.authenticate(secret)).toBeNull();
  });
});

describe('a proof of who it is', () => {
  const required = expect.objectContaining({ code: 'ReauthenticationRequired' });

  it('counts for five minutes, however busy the session is', async () => {
    const { secret } = await sessions.begin(ADA);
    nowMs += 5 * MINUTE_MS - 1;
    const session = await authenticated(secret);
    expect(() => sessions.assertRecent(session)).not.toThrow();
    nowMs += 1;
    expect(() => sessions.assertRecent(session)).toThrow(required);
  });

  it('is not the beginning of a session whose operator proved it long before', async () => {
    const { secret } = await sessions.begin(ADA, new Date(nowMs - 5 * MINUTE_MS));
    const session = await authenticated(secret);
    expect(() => sessions.assertRecent(session)).toThrow(required);
  });

  it('renews the secret of the session, and not its end', async () => {
    const { secret, session: begun } = await sessions.begin(ADA);
    nowMs += 20 * MINUTE_MS;
    const renewed = await sessions.renew(await authenticated(secret));
    expect(renewed.session.endsAt).toEqual(begun.endsAt);
    expect(renewed.session.csrfToken).not.toBe(begun.csrfToken);
    expect(await sessions.authenticate(secret)).toBeNull();
    const session = await authenticated(renewed.secret);
    expect(session.csrfToken).toBe(renewed.session.csrfToken);
    expect(() => sessions.assertRecent(session)).not.toThrow();
  });

  it('brings no session back that has ended meanwhile', async () => {
    const session = await authenticated((await sessions.begin(ADA)).secret);
    await sessions.end(session);
    await expect(sessions.renew(session)).rejects.toMatchObject({ code: 'Conflict' });
    expect(stored.rows.size).toBe(0);
  });
});

describe('the own sessions', () => {
  it('are listed with what their browser says of itself and when an operator last used them', async () => {
    const here = { userAgent: 'Firefox/140.0 (X11; Linux x86_64)', network: '203.0.113.1' };
    const { secret } = await inBrowser(here, () => sessions.begin(ADA));
    const beganAt = new Date(nowMs);
    nowMs += 10 * MINUTE_MS;
    await sessions.authenticate(secret, false);
    const session = await sessions.find([...stored.rows.values()][0]!.secretHash);
    const [idle] = await sessions.listOwn(session!);
    expect(idle).toEqual({
      ...{ id: expect.stringMatching(/^[\w-]{22}$/), device: 'Firefox on Linux', network: '203.0.113.1' },
      ...{ createdAt: beganAt, lastUsedAt: beganAt, isCurrent: true },
    });
    const [used] = await sessions.listOwn(await authenticated(secret));
    expect(used).toEqual({ ...idle, lastUsedAt: new Date(nowMs) });
  });

  it('are named by what tells nothing of their secrets, and anew once they are renewed', async () => {
    const { secret } = await sessions.begin(ADA);
    const session = await authenticated(secret);
    const [before] = await sessions.listOwn(session);
    for (const kept of [session.secretHash, Buffer.from(secret)]) {
      for (const form of ['hex', 'base64url'] as const) expect(kept.toString(form)).not.toContain(before!.id);
    }
    const [after] = await sessions.listOwn(await authenticated((await sessions.renew(session)).secret));
    expect(after).toEqual({ ...before, id: expect.not.stringMatching(before!.id) });
  });

  it('are not said to have ended when they were renewed meanwhile', async () => {
    const other = await authenticated((await sessions.begin(ADA)).secret);
    const session = await authenticated((await sessions.begin(ADA)).secret);
    const { id } = (await sessions.listOwn(session)).find(({ isCurrent }) => !isCurrent)!;
    const listed = stored.list.bind(stored);
    stored.list = async () => {
      const before = await listed();
      await sessions.renew(other);
      return before;
    };
    await expect(sessions.endOwn(session, id)).rejects.toMatchObject({ code: 'NotFound' });
    expect(stored.rows.size).toBe(2);
    expect(actions).not.toContain('operator.session-ended');
  });

  it('do not give back idle time that was granted when they began', async () => {
    const { secret, session } = await sessions.begin(ADA);
    settings.sessionIdleMs = 2 * MINUTE_MS;
    nowMs += MINUTE_MS;
    expect((await authenticated(secret)).idleUntil).toEqual(session.idleUntil);
  });
});
