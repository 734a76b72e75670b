import {
  MAX_OVERLAP_MS,
  revealedSecrets,
  rotated,
  secretsFrom,
  secretsInForce,
  type EndpointSecrets,
  SigningSecret,
} from './endpoint-secrets.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const HOUR = 3_600_000;
const fresh = (): EndpointSecrets => ({ active: SigningSecret.generate(), retiring: [] });
const texts = (...secrets: SigningSecret[]): string[] => secrets.map((secret) => secret.reveal());

describe('rotation of an endpoint’s secrets', () => {
  it('W4 signs with the replaced one for 24 h more, then with the new one alone', () => {
    const before = fresh();
    const next = SigningSecret.generate();
    const after = rotated(before, next, { nowMs: NOW });
    expect(texts(...secretsInForce(before, NOW))).toEqual(texts(before.active));
    expect(texts(...secretsInForce(after, NOW))).toEqual(texts(next, before.active));
    expect(texts(...secretsInForce(after, NOW + 24 * HOUR - 1))).toEqual(texts(next, before.active));
    expect(texts(...secretsInForce(after, NOW + 24 * HOUR))).toEqual(texts(next));
  });

  it('W4 keeps what still signs over a second rotation, and drops what has ended', () => {
    const first = fresh();
    const second = rotated(first, SigningSecret.generate(), { nowMs: NOW, overlapMs: 7 * 24 * HOUR });
    const third = rotated(second, SigningSecret.generate(), { nowMs: NOW + HOUR, overlapMs: HOUR });
    expect(texts(...secretsInForce(third, NOW + HOUR))).toEqual(texts(third.active, second.active, first.active));
    const fourth = rotated(third, SigningSecret.generate(), { nowMs: NOW + 2 * HOUR, overlapMs: HOUR });
    expect(texts(...fourth.retiring.map(({ secret }) => secret))).toEqual(texts(third.active, first.active));
  });

  it('W4 lets a secret that leaked sign nothing more', () => {
    const before = fresh();
    const after = rotated(before, SigningSecret.generate(), { nowMs: NOW, overlapMs: 0 });
    expect(after.retiring).toEqual([]);
    expect(texts(...secretsInForce(after, NOW))).toEqual(texts(after.active));
  });

  it.each([-1, MAX_OVERLAP_MS + 1, Number.NaN, Number.POSITIVE_INFINITY])(
    'W4 refuses an overlap of %s',
    (overlapMs) => {
      expect(() => rotated(fresh(), SigningSecret.generate(), { nowMs: NOW, overlapMs })).toThrow(RangeError);
    },
  );

  it('signs with five at most; a leaked one can be replaced even then', () => {
    let secrets = fresh();
    for (let count = 2; count <= 5; count += 1) secrets = rotated(secrets, SigningSecret.generate(), { nowMs: NOW });
    expect(secretsInForce(secrets, NOW)).toHaveLength(5);
    expect(() => rotated(secrets, SigningSecret.generate(), { nowMs: NOW })).toThrow(
      expect.objectContaining({ code: 'Conflict' }),
    );
    const replaced = rotated(secrets, SigningSecret.generate(), { nowMs: NOW, overlapMs: 0 });
    expect(secretsInForce(replaced, NOW)).toHaveLength(5);
    expect(texts(...secretsInForce(replaced, NOW))).not.toContain(secrets.active.reveal());
  });

  it('are stored as text and come back the same', () => {
    const secrets = rotated(fresh(), SigningSecret.generate(), { nowMs: NOW });
    const stored = revealedSecrets(secrets);
    expect(stored).toEqual({
      active: secrets.active.reveal(),
      retiring: [{ secret: secrets.retiring[0]?.secret.reveal(), endsAt: new Date(NOW + 24 * HOUR) }],
    });
    expect(revealedSecrets(secretsFrom(stored))).toEqual(stored);
  });
});
