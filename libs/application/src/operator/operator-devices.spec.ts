import { describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import type { OperatorRepository } from '#domain/operator';
import { ADA } from '../../testing/known-records.js';
import { OperatorDevices } from './operator-devices.js';

const DAY_MS = 86_400_000;

function fixture() {
  const state = { nowMs: Date.UTC(2026, 10, 21), kid: 'k.1', passwordHash: 'hash' as string | null };
  const keys = new Map(['k.1', 'k2'].map((kid) => [kid, randomBytes(32)]));
  const devices = new OperatorDevices(
    {
      findByEmail: () => Promise.resolve({ operator: ADA, passwordHash: state.passwordHash }),
    } as unknown as OperatorRepository,
    { current: () => ({ kid: state.kid, key: keys.get(state.kid)! }), byId: (kid) => keys.get(kid) ?? null },
    { nowMs: () => state.nowMs },
  );
  return { state, keys, devices, token: async () => (await devices.issue(ADA))!.token };
}

describe('a device', () => {
  it('is known to its operator, each time as another one', async () => {
    const { devices, token } = fixture();
    const [one, other] = [await token(), await token()];
    expect(devices.find(one, ADA.id, 'hash')).toMatch(/^[\w-]{22}$/);
    expect(devices.find(one, ADA.id, 'hash')).not.toBe(devices.find(other, ADA.id, 'hash'));
    expect(one).toMatch(/^[\w.~-]+$/);
  });

  it('is a stranger to another operator, to another password, and after half a year', async () => {
    const { state, devices, token } = fixture();
    const given = await token();
    expect(devices.find(given, '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f6', 'hash')).toBeNull();
    expect(devices.find(given, ADA.id, 'another hash')).toBeNull();
    state.nowMs += 180 * DAY_MS - 1;
    expect(devices.find(given, ADA.id, 'hash')).not.toBeNull();
    state.nowMs += 1;
    expect(devices.find(given, ADA.id, 'hash')).toBeNull();
  });

  it('is none for an operator who has no password', async () => {
    const { state, devices } = fixture();
    state.passwordHash = null;
    expect(await devices.issue(ADA)).toBeNull();
  });

  it('is known while its key is in the ring', async () => {
    const { state, keys, devices, token } = fixture();
    const given = await token();
    state.kid = 'k2';
    expect(devices.find(given, ADA.id, 'hash')).not.toBeNull();
    keys.delete('k.1');
    expect(devices.find(given, ADA.id, 'hash')).toBeNull();
  });

  it('is none with a character changed, and none of garbage', async () => {
    const { devices, token } = fixture();
    const given = await token();
    for (let at = 0; at < given.length; at += 1) {
      const changed = `${given.slice(0, at)}${given[at] === 'A' ? 'Q' : 'A'}${given.slice(at + 1)}`;
      expect([at, devices.find(changed, ADA.id, 'hash')]).toEqual([at, null]);
    }
    for (const garbage of ['', '~~~', '~~k2~', `x~${'9'.repeat(15)}~k2~`, 'A'.repeat(10_000)]) {
      expect(devices.find(garbage, ADA.id, 'hash')).toBeNull();
    }
  });
});
