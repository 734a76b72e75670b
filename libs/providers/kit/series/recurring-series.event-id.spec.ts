import { splitInstanceId } from './recurring-series.js';

describe('splitInstanceId', () => {
  it.each([
    ['abc_20261207', { seriesId: 'abc', date: '20261207' }],
    ['abc_20261207t080000z', { seriesId: 'abc', date: '20261207T080000Z' }],
    ['abc_R20261214T080000_20261221T080000Z', { seriesId: 'abc_R20261214T080000', date: '20261221T080000Z' }],
    ['AA_b=_20261118t140000z', { seriesId: 'AA_b=', date: '20261118T140000Z' }],
    ['abc', null],
    ['abc_R20261214T080000', null],
    ['_20261207', null],
  ])('%s is taken apart from the right as %j', (id, parts) => {
    expect(splitInstanceId(id)).toEqual(parts);
  });
});
