import { accountsFixture, MINUTE_MS } from '../../testing/accounts-fixture.js';
import { AccountUsage } from './account-usage.js';

describe('AccountUsage', () => {
  it('F34 notes uses also after the clock was set back', async () => {
    const world = accountsFixture();
    const account = await world.passwordAccount();
    const usage = new AccountUsage(world.health, world.time);
    usage.note(account);
    usage.note(account);
    expect(world.health.noted).toBe(1);
    world.time.setBack(60 * MINUTE_MS);
    usage.note(account);
    expect(world.health.noted).toBe(2);
  });
});
