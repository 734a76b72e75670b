import { InvalidJobPayload, tokenRevocation } from './jobs.js';

const ids = {
  applicationId: '0197a000-0000-7000-8000-000000000001',
  revocationId: '0197a000-0000-7000-8000-000000000002',
};

describe('tokenRevocation', () => {
  it('takes the ids, and nothing beside them: job data is stored in clear', () => {
    expect(tokenRevocation.parse({ ...ids, token: 'secret' })).toEqual(ids);
  });

  it.each([
    [null],
    [undefined],
    ['text'],
    [{}],
    [{ ...ids, revocationId: "' or 1=1" }],
    [{ ...ids, applicationId: 7 }],
  ])('F8 refuses %j', (data) => {
    expect(() => tokenRevocation.parse(data)).toThrow(InvalidJobPayload);
  });
});
