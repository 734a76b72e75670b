import { parsePrefer } from './prefer.js';

describe('parsePrefer', () => {
  it.each<[string, Record<string, string>]>([
    ['', {}],
    ['IdType="ImmutableId"', { idtype: 'ImmutableId' }],
    ['IdType=ImmutableId', { idtype: 'ImmutableId' }],
    [
      'outlook.timezone="W. Europe Standard Time", IdType = "ImmutableId",odata.maxpagesize=5',
      { 'outlook.timezone': 'W. Europe Standard Time', idtype: 'ImmutableId', 'odata.maxpagesize': '5' },
    ],
    ['outlook.timezone="a, b=c; d"', { 'outlook.timezone': 'a, b=c; d' }],
    ['outlook.timezone="say \\"x\\""', { 'outlook.timezone': 'say "x"' }],
    ['respond-async, wait=10; strict', { 'respond-async': '', wait: '10' }],
    ['IdType="ImmutableId", idtype="RestId"', { idtype: 'ImmutableId' }],
    ['toString=1', { tostring: '1' }],
    [', ,', {}],
  ])('%s', (header, preferences) => {
    expect(parsePrefer(header)).toEqual(preferences);
  });
});
