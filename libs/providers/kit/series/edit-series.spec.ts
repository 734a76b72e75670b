import type { EditScope } from '#domain/providers';
import { editSeries } from './edit-series.js';

const INSTANCE = { instance: 'second', isSeries: false };
const SERIES = { instance: null, isSeries: true };
const SINGLE = { instance: null, isSeries: false };
const edited = (target: typeof INSTANCE | typeof SERIES, scope: EditScope | undefined, cut: string | null = 'cut') =>
  editSeries<string, string, string>(target, scope, {
    instance: (instance) => `instance ${instance}`,
    whole: (seen) => `whole ${seen}`,
    cut: (_instance, goOn) => goOn(cut),
    following: (made) => `following ${made}`,
  });

describe('editSeries', () => {
  it('takes the instance itself where the caller does not say', () => {
    expect(edited(INSTANCE, undefined)).toBe('instance second');
    expect(edited(INSTANCE, 'this')).toBe('instance second');
    expect(edited(INSTANCE, 'following')).toBe('following cut');
    expect(edited(INSTANCE, 'all')).toBe('whole second');
  });

  it('takes the whole series where nothing comes before the instance', () => {
    expect(edited(INSTANCE, 'following', null)).toBe('whole second');
  });

  it('takes the whole of what is no instance', () => {
    for (const event of [SERIES, SINGLE]) {
      const scopes = [undefined, 'all', 'following'] as const;
      expect(scopes.map((asked) => edited(event, asked))).toEqual(['whole null', 'whole null', 'whole null']);
    }
    expect(edited(SINGLE, 'this')).toBe('whole null');
    expect(() => edited(SERIES, 'this')).toThrow('scope');
  });
});
