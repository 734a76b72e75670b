import { InvalidJobPayload } from './job-definition.js';
import { accountCheck, channelRenewal, tokenRevocation } from './row-jobs.js';

const APPLICATION = { applicationId: '0197a000-0000-7000-8000-000000000001' };
const ID = '0197a000-0000-7000-8000-000000000002';

describe.each([
  ['accountCheck', accountCheck, { ...APPLICATION, accountId: ID }],
  ['channelRenewal', channelRenewal, { ...APPLICATION, watchedCalendarId: ID }],
  ['tokenRevocation', tokenRevocation, { ...APPLICATION, revocationId: ID }],
] as const)('%s', (_name, job, ids) => {
  it('takes the ids, and nothing beside them: job data is stored in clear', () => {
    expect(job.parse({ ...ids, token: 'secret' })).toEqual(ids);
  });

  it('is there once for a row', () => {
    expect(job.toBulk(ids as never)).toMatchObject({ data: ids, opts: { deduplication: { id: ID } } });
  });

  it.each([
    [null],
    [undefined],
    ['text'],
    [{}],
    [APPLICATION],
    [Object.fromEntries(Object.keys(ids).map((name) => [name, "' or 1=1"]))],
    [{ ...ids, applicationId: 7 }],
  ])('F8 refuses %j', (data) => {
    expect(() => job.parse(data)).toThrow(InvalidJobPayload);
  });
});
