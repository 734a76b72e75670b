import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { AccountRepository, EndUserAccount, RevocationRepository } from '#domain/accounts';
import type { ApplicationRepository } from '#domain/applications';
import { DomainError } from '#domain/system';
import type { ExternalDelivery } from '#webhooks';
import type { AccountDeletion } from '../accounts/account-deletion.js';
import { ApplicationDeletion } from './application-deletion.js';

for (const level of ['log', 'warn'] as const) jest.spyOn(Logger.prototype, level).mockImplementation(() => undefined);

/** An application with that many accounts, whose deletion has begun; `done` notes what happens. */
function fixture(count: number) {
  const accounts = Array.from({ length: count }, (_, index) => ({ id: `account-${index}` }) as EndUserAccount);
  const state = { accounts, isPending: false, isThere: true, dueInMs: 0 };
  const done: string[] = [];
  const note = async (what: string) => void done.push(what);
  const remove = jest.fn(async (_application: unknown, id: string) => {
    state.accounts = state.accounts.filter((account) => account.id !== id);
    done.push('account');
  });
  const delivery = { removeApplication: jest.fn(() => note('delivery service')) };
  const removal = new ApplicationDeletion(
    {
      claimDeletion: async () => (state.isThere ? 'app' : null),
      continueDeletion: async (_id: string, inMs: number) => void (state.dueInMs = inMs),
      deleteEndpoints: () => note('endpoints'),
      delete: async () => {
        state.isThere = false;
        return note('application').then(() => true);
      },
    } as unknown as ApplicationRepository,
    {
      list: async (_: unknown, { limit }: { limit: number }) => state.accounts.slice(0, limit),
    } as unknown as AccountRepository,
    { delete: remove } as unknown as AccountDeletion,
    { isAnyPending: async () => state.isPending } as unknown as RevocationRepository,
    delivery as unknown as ExternalDelivery,
  );
  return { removal, state, done, remove, delivery };
}

describe('ApplicationDeletion', () => {
  it('ends deliveries, then every account some at a time, then the delivery service, then the application', async () => {
    const { removal, done } = fixture(12);
    for (let step = 0; step < 3; step += 1) expect(await removal.advance()).toBe(true);
    const accounts = (count: number) => Array.from({ length: count }, () => 'account');
    expect(done).toEqual([
      ...['endpoints', ...accounts(10)],
      ...['endpoints', ...accounts(2)],
      ...['endpoints', 'delivery service', 'application'],
    ]);
    expect(await removal.advance()).toBe(false);
  });

  it('waits for revocations, which need the OAuth client of the application', async () => {
    const { removal, state, done } = fixture(0);
    state.isPending = true;
    await removal.advance();
    expect([state.isThere, state.dueInMs]).toEqual([true, 5_000]);
    state.isPending = false;
    await removal.advance();
    expect(done.at(-1)).toBe('application');
  });

  it('goes on later when the delivery service is away, and deletes nothing before', async () => {
    const { removal, state, delivery } = fixture(0);
    delivery.removeApplication.mockRejectedValueOnce(new DomainError('ProviderUnavailable', 'away'));
    await removal.advance();
    expect([state.isThere, state.dueInMs]).toEqual([true, 30_000]);
    await removal.advance();
    expect(state.isThere).toBe(false);
  });

  it('is not stopped by an account that somebody else has just deleted', async () => {
    const { removal, state, remove } = fixture(2);
    remove.mockImplementationOnce(async () => {
      state.accounts = state.accounts.slice(1);
      throw new DomainError('NotFound', 'gone');
    });
    await removal.advance();
    expect([state.accounts, state.dueInMs]).toEqual([[], 0]);
  });

  it('deletes the other accounts when one cannot be deleted now', async () => {
    const { removal, state, remove } = fixture(3);
    remove.mockRejectedValueOnce(new Error('the connection broke'));
    await removal.advance();
    expect(state.accounts.map(({ id }) => id)).toEqual(['account-0']);
    expect(state.dueInMs).toBe(30_000);
  });
});
