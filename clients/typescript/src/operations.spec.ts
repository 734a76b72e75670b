import { Calendars } from './resources/calendars.js';
import { CalendarSubscriptions } from './resources/calendar-subscriptions.js';
import { EndUserAccounts } from './resources/end-user-accounts.js';
import { Events } from './resources/events.js';
import { FreeBusy } from './resources/free-busy.js';
import { UsageReports } from './resources/usage.js';
import { WebhookEndpoints } from './resources/webhook-endpoints.js';
import { OPERATIONS } from './generated/operations.gen.js';
import type { Call } from './operation.js';

describe('the client', () => {
  it('has a method for every operation of the document, which passes on all that it is given', async () => {
    const asked = new Map<string, unknown[]>();
    const call = (async (id: string, request: unknown, options: unknown) => {
      asked.set(id, [request, options]);
      return { data: [] };
    }) as unknown as Call;
    const resources = [
      Calendars,
      CalendarSubscriptions,
      EndUserAccounts,
      Events,
      FreeBusy,
      UsageReports,
      WebhookEndpoints,
    ];
    const isPaged = /^(all|pages$|list.|messagePages|occurrencePages|sync$|syncInto$)/;
    for (const resource of resources.map((Resource) => new Resource(call) as object)) {
      const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).filter(
        (name) => name !== 'constructor' && !isPaged.test(name),
      );
      for (const name of methods) {
        const method = (resource as Record<string, (...args: object[]) => Promise<unknown>>)[name]!;
        // Path and query first where there are any, then the body where there is one, then the options.
        const given = [{ is: 'first' }, { is: 'second' }, { is: 'third' }].slice(0, Math.max(2, method.length));
        await method.apply(resource, given);
      }
    }
    expect([...asked.keys()].sort()).toEqual(Object.keys(OPERATIONS).sort());
    expect(asked.get('getEvent')).toEqual([{ params: { is: 'first' } }, { is: 'second' }]);
    expect(asked.get('updateEvent')).toEqual([{ params: { is: 'first' }, body: { is: 'second' } }, { is: 'third' }]);
    expect(asked.get('createWebhookEndpoint')).toEqual([{ body: { is: 'first' } }, { is: 'second' }]);
  });
});
