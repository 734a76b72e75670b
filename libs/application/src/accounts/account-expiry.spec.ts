import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { accountsFixture, grantRejected, signal } from '../../testing/accounts-fixture.js';

const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
afterEach(() => warnings.mockClear());

describe('F29 an account that becomes EXPIRED', () => {
  it('is told to operators once, by its ids and the reason alone', async () => {
    const fixture = accountsFixture();
    const account = await fixture.grantedAccount();
    fixture.authorization.decide = () => grantRejected('invalid_grant');
    const callers = [1, 2, 3].map(() => fixture.credentialsService.getFresh(account, signal));
    await fixture.time.during(Promise.allSettled(callers));
    const { id: accountId, applicationId } = account;
    expect(warnings.mock.calls).toEqual([
      [
        {
          msg: 'account EXPIRED',
          accountId,
          applicationId,
          providerType: 'GOOGLE',
          reason: 'invalid_grant',
        },
      ],
    ]);
  });
});
