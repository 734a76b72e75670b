import { Memory } from './memory.js';

class Life {
  readonly memory = new Memory();
  readonly map = this.memory.map<{ n: number }>('map');
  readonly set = this.memory.set('set');
  readonly counter = this.memory.counter('counter');
  text = '';

  constructor() {
    const inner = new Memory();
    inner.part('text', {
      snapshot: () => this.text,
      restore: (text) => void (this.text = text),
      clear: () => void (this.text = ''),
    });
    this.memory.part('inner', inner);
  }
}

function changed(): Life {
  const life = new Life();
  life.map.set('a', { n: 1 }).set('b', { n: 2 });
  life.set.add('x');
  life.counter.value = 7;
  life.text = 'told';
  return life;
}

it('brings everything back, in its order and in place of what there is', () => {
  const after = new Life();
  after.map.set('old', { n: 0 });
  after.set.add('old');
  after.memory.restore(JSON.parse(JSON.stringify(changed().memory.snapshot())));
  expect([...after.map.keys()]).toEqual(['a', 'b']);
  expect([[...after.set], after.counter.value, after.text]).toEqual([['x'], 7, 'told']);
});

it('shares nothing with the snapshot that it goes on from', () => {
  const before = changed();
  const after = new Life();
  after.memory.restore(before.memory.snapshot());
  after.map.get('a')!.n = 9;
  expect(before.map.get('a')).toEqual({ n: 1 });
});

it('forgets everything', () => {
  const life = changed();
  life.memory.clear();
  expect(life.memory.snapshot()).toEqual(new Life().memory.snapshot());
});
