import { Memory } from '../../../state/memory.js';
import { Ids } from '../ids.js';
import { PageTokens } from '../page-tokens.js';

describe('PageTokens', () => {
  const load = () => ({ items: [1, 2, 3], revision: 7 });

  it('walk through what there was when the walk began', () => {
    const tokens = new PageTokens(new Ids(new Memory()));
    const first = tokens.page(undefined, 'walk', 2, load);
    expect(first).toEqual({ items: [1, 2], nextPageToken: expect.any(String), revision: 7 });
    const again = () => tokens.page(first.nextPageToken!, 'walk', 2, () => ({ items: [], revision: 9 }));
    expect(again()).toEqual({ items: [3], nextPageToken: null, revision: 7 });
    expect(again()).toEqual(again());
  });

  it('forget the oldest when there are many', () => {
    const tokens = new PageTokens(new Ids(new Memory()));
    const open = () => tokens.page(undefined, 'walk', 1, load).nextPageToken!;
    const [oldest, next] = [open(), open()];
    for (let count = 0; count < 199; count += 1) open();
    expect(() => tokens.page(oldest, 'walk', 1, load)).toThrow('Invalid page token value.');
    expect(tokens.page(next, 'walk', 1, load).items).toEqual([2]);
  });
});
