import { jest } from '@jest/globals';
import type { CalendarLook, WatchedCalendarRepository } from '#domain';
import type { CalendarLooks } from './calendar-looks.js';
import { FirstLooks } from './first-looks.js';

const APP = { applicationId: 'app' };
const LOOK = { watchedCalendarId: 'calendar' } as CalendarLook;
const signal = new AbortController().signal;

type Claim = Awaited<ReturnType<WatchedCalendarRepository['claimFirstLook']>>;

/** The last claim is the one of all later ones, too. */
function world(...claims: Claim[]) {
  const claimFirstLook = jest.fn(async () => (claims.length > 1 ? claims.shift()! : claims[0]!));
  const begin = jest.fn(async () => undefined);
  const sleep = jest.fn(async () => undefined);
  const looks = new FirstLooks(
    { claimFirstLook } as unknown as WatchedCalendarRepository,
    { begin } as unknown as CalendarLooks,
    { sleep },
  );
  return { ensure: () => looks.ensure(APP, 'calendar', signal), claimFirstLook, begin, sleep };
}

describe('FirstLooks', () => {
  it('makes the first look, and sees that it is made', async () => {
    const { ensure, begin, claimFirstLook } = world(LOOK, 'begun');
    await ensure();
    expect(begin.mock.calls).toEqual([[LOOK, signal]]);
    expect(claimFirstLook).toHaveBeenCalledTimes(2);
  });

  it('leaves a calendar alone that was looked at', async () => {
    const { ensure, begin, sleep } = world('begun');
    await ensure();
    expect(begin).not.toHaveBeenCalled();
    expect(sleep).not.toHaveBeenCalled();
  });

  it('waits for the first look of somebody else, and makes it when that came to nothing', async () => {
    const { ensure, begin, sleep } = world('busy', 'busy', LOOK, 'begun');
    await ensure();
    expect(sleep).toHaveBeenCalledTimes(2);
    expect(begin).toHaveBeenCalledTimes(1);
  });

  it('does not wait for ever', async () => {
    const { ensure } = world('busy');
    await expect(ensure()).rejects.toMatchObject({ code: 'ProviderUnavailable', retryAfterSeconds: 5 });
  });

  it('says what the provider says', async () => {
    const { ensure, begin } = world(LOOK);
    const away = new Error('away');
    begin.mockRejectedValue(away);
    await expect(ensure()).rejects.toBe(away);
  });
});
