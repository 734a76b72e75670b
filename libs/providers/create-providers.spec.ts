import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { MemoryPrivateProperties, MemorySnapshots, UnlimitedBudget } from '#domain/testing/memory-stores';
import { CountedSlots } from '#providers/microsoft/testing/microsoft-connection';
import { createProviders, UnreadableObjects } from '#providers';

class Unreported extends UnreadableObjects {
  override report(): void {}
}

const usual = { requestsPerMinute: 600, timeoutMs: 10_000 };
const providers = createProviders({
  egress: new ScriptedEgress(),
  budget: new UnlimitedBudget(),
  slots: new CountedSlots(),
  privateProperties: new MemoryPrivateProperties(),
  snapshots: new MemorySnapshots(),
  clock: { nowMs: () => 0 },
  unreadable: new Unreported(),
  google: { ...usual, apiUrl: 'https://g.example', oauthUrl: 'https://g.example', tokenUrl: 'https://g.example' },
  microsoft: { ...usual, graphUrl: 'https://m.example', loginUrl: 'https://m.example' },
  appleCalDavUrl: 'https://a.example',
  calDavRequestsPerMinute: 240,
});

describe('createProviders', () => {
  it.each([
    ['GOOGLE', true],
    ['MICROSOFT', true],
    ['APPLE', false],
    ['CALDAV', false],
  ] as const)('makes %s, that tells of changes by itself: %s', (type, isPushing) => {
    expect(providers.for(type).push !== null).toBe(isPushing);
  });
});
