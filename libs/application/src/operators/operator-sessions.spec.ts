import { beforeEach, describe, expect, it } from '@jest/globals';
import {
  OperatorSessionRepository,
  type NewOperatorSession,
  type OperatorRepository,
  type OperatorSession,
} from '#domain';
import { ADA } from '../../testing/operators.js';
import type { OperatorDevices } from './operator-devices.js';
import { OperatorSessions } from './operator-sessions.js';

const MINUTE_MS = 60_000;

/** In memory, as the table keeps them. */
class MemorySessions extends OperatorSessionRepository {
  readonly rows = new Map<string, OperatorSession>();
  touches = 0;

  override create(session: NewOperatorSession): Promise<void> {
    this.rows.set(session.secretHash.toString('hex'), { ...session, operator: ADA });
    return Promise.resolve();
  }

  override find(secretHash: Buffer): Promise<OperatorSession | null> {
    return Promise.resolve(this.rows.get(secretHash.toString('hex')) ?? null);
  }

  override async touch(secretHash: Buffer, idleUntil: Date): Promise<void> {
    this.touches += 1;
    const session = await this.find(secretHash);
    if (session !== null) session.idleUntil = idleUntil;
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

  override end(secretHash: Buffer): Promise<void> {
    this.rows.delete(secretHash.toString('hex'));
    return Promise.resolve();
  }
}

let nowMs: number;
let stored: MemorySessions;
let sessions: OperatorSessions;

beforeEach(() => {
  nowMs = Date.UTC(2026, 10, 21);
  stored = new MemorySessions();
  sessions = new OperatorSessions(
    stored,
    { loggedIn: () => Promise.resolve() } as unknown as OperatorRepository,
    { record: () => Promise.resolve() },
    { nowMs: () => nowMs },
    {
      publicUrl: 'https://calendar.example.com',
      sessionIdleMs: 30 * MINUTE_MS,
      sessionMs: 720 * MINUTE_MS,
      hasPasswords: true,
    },
    { issue: () => Promise.resolve(null) } as unknown as OperatorDevices,
  );
});

describe('N60 a session', () => {
  it('is told by 256 random bits, of which a hash is kept', async () => {
    const [one, other] = [await sessions.begin(ADA), await sessions.begin(ADA)];
    expect(one.secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(one.secret).not.toBe(other.secret);
    expect(one.view.csrfToken).not.toBe(other.view.csrfToken);
    const kept = JSON.stringify([...stored.rows]);
    for (const text of [one.secret, one.view.csrfToken]) expect(kept).not.toContain(text);
    expect(await sessions.prove(one.secret)).toMatchObject({ operator: ADA, csrfToken: one.view.csrfToken });
  });

  it('ends after half an hour without a request', async () => {
    const { secret } = await sessions.begin(ADA);
    nowMs += 30 * MINUTE_MS - 1;
    expect(await sessions.prove(secret)).not.toBeNull();
    nowMs += 30 * MINUTE_MS;
    expect(await sessions.prove(secret)).toBeNull();
  });

  it('ends for lack of people, although a page that was left open goes on asking', async () => {
    const { secret } = await sessions.begin(ADA);
    for (let minutes = 0; minutes < 30; minutes += 5) {
      expect(await sessions.prove(secret, false)).not.toBeNull();
      nowMs += 5 * MINUTE_MS;
    }
    expect(await sessions.prove(secret, false)).toBeNull();
    expect(stored.touches).toBe(0);
  });

  it('ends after twelve hours, however busy it is', async () => {
    const { secret } = await sessions.begin(ADA);
    const endMs = nowMs + 720 * MINUTE_MS;
    for (; nowMs < endMs; nowMs += 20 * MINUTE_MS) {
      const session = await sessions.prove(secret);
      expect(session?.idleUntil.getTime()).toBeLessThanOrEqual(endMs);
    }
    expect(await sessions.prove(secret)).toBeNull();
  });

  it('is written to once a minute at most', async () => {
    const { secret } = await sessions.begin(ADA);
    for (let request = 0; request < 120; request += 1) {
      nowMs += 1_000;
      await sessions.prove(secret);
    }
    expect(stored.touches).toBe(2);
  });

  it.each(['', 'short', 'x'.repeat(44), `${'x'.repeat(42)}!`])('is not looked for by %p', async (secret) => {
    stored.find = () => Promise.reject(new Error('asked'));
    expect(await sessions.prove(secret)).toBeNull();
  });
});

describe('a proof of who it is', () => {
  const proven = async (secret: string) => {
    const session = await sessions.prove(secret);
    if (session === null) throw new Error('there is no session');
    return session;
  };
  const required = expect.objectContaining({ code: 'ReauthenticationRequired' });

  it('counts for five minutes, however busy the session is', async () => {
    const { secret } = await sessions.begin(ADA);
    nowMs += 5 * MINUTE_MS - 1;
    const session = await proven(secret);
    expect(() => sessions.assertRecent(session)).not.toThrow();
    nowMs += 1;
    expect(() => sessions.assertRecent(session)).toThrow(required);
  });

  it('is not the beginning of a session whose operator proved it long before', async () => {
    const { secret } = await sessions.begin(ADA, new Date(nowMs - 5 * MINUTE_MS));
    const session = await proven(secret);
    expect(() => sessions.assertRecent(session)).toThrow(required);
  });

  it('renews the secret of the session, and not its end', async () => {
    const { secret, view } = await sessions.begin(ADA);
    nowMs += 20 * MINUTE_MS;
    const renewed = await sessions.renew(await proven(secret));
    expect(renewed.view.endsAt).toBe(view.endsAt);
    expect(renewed.view.csrfToken).not.toBe(view.csrfToken);
    expect(await sessions.prove(secret)).toBeNull();
    const session = await proven(renewed.secret);
    expect(session.csrfToken).toBe(renewed.view.csrfToken);
    expect(() => sessions.assertRecent(session)).not.toThrow();
  });

  it('brings no session back that has ended meanwhile', async () => {
    const session = await proven((await sessions.begin(ADA)).secret);
    await sessions.end(session);
    await expect(sessions.renew(session)).rejects.toMatchObject({ code: 'Conflict' });
    expect(stored.rows.size).toBe(0);
  });
});
