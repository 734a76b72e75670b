import { accountsFixture, MINUTE_MS } from '../../testing/accounts-fixture.js';
import { AccountUsage } from './account-usage.js';

describe('AccountUsage', () => {
  it('F34 notes uses also after the clock was set back', async () => {
    const fixture = accountsFixture();
    const account = await fixture.passwordAccount();
    const usage = new AccountUsage(fixture.health, fixture.time);
    usage.recordUse(account);
    usage.recordUse(account);
    expect(fixture.health.recorded).toBe(1);
    fixture.time.setBack(60 * MINUTE_MS);
    usage.recordUse(account);
    expect(fixture.health.recorded).toBe(2);
  });
});
