import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { TOKEN_TIMEOUT_MS } from '#domain/oauth';
import { accountsFixture, APP } from '../../testing/accounts-fixture.js';
import { RefreshLeases } from './credentials.service.js';

describe('RefreshLeases', () => {
  it('T2 refuses a lease that is not more than twice as long as a token call', () => {
    const { credentials, time } = accountsFixture();
    expect(() => new RefreshLeases(credentials, time, 2 * TOKEN_TIMEOUT_MS)).toThrow(RangeError);
    expect(() => new RefreshLeases(credentials, time, 2 * TOKEN_TIMEOUT_MS + 1)).not.toThrow();
  });

  it('gives the lease back when the work is done, and when it failed', async () => {
    const { credentials, time, grantedAccount } = accountsFixture();
    const account = await grantedAccount();
    const leases = new RefreshLeases(credentials, time, 20_000);
    expect(await leases.withLease(account, 1, async () => 'done')).toBe('done');
    await expect(leases.withLease(account, 1, async () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    expect(credentials.leases.size).toBe(0);
  });

  it('loses nothing when the lease cannot be given back', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { credentials, time, grantedAccount } = accountsFixture();
    const account = await grantedAccount();
    credentials.releaseLease = async () => Promise.reject(new Error('database away'));
    const leases = new RefreshLeases(credentials, time, 20_000);
    expect(await leases.withLease(account, 1, async () => 'done')).toBe('done');
    expect(warnings).toHaveBeenCalledTimes(1);
    warnings.mockRestore();
  });

  it('takes over when the lease of a holder that died runs out', async () => {
    const { credentials, time, grantedAccount } = accountsFixture();
    const account = await grantedAccount();
    await credentials.lease(APP, account.id, 1, 20_000);
    const startedAtMs = time.nowMs();
    await time.during(new RefreshLeases(credentials, time, 20_000).withLease(account, 1, async () => 'done'));
    expect(time.nowMs() - startedAtMs).toBeGreaterThanOrEqual(20_000);
    expect(time.nowMs() - startedAtMs).toBeLessThan(20_500);
  });
});
