import { inspect } from 'node:util';
import type { CalendarProvider } from '#domain/providers';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import { microsoftProvider, type MicrosoftAdapterParts } from './adapter.js';
import { MicrosoftAuthorizationServer } from './authorization-server.js';
import { GraphApiError } from './errors.js';
import { clientOver, refusal, ROOT, SECRET, sessionOf } from './testing/microsoft-client.js';

const LIST = 'GET /v1.0/me/calendars';

/** Events that fail as given, whatever is asked of them. */
function failing(error: Error): MicrosoftAdapterParts['events'] {
  return new Proxy({} as MicrosoftAdapterParts['events'], { get: () => () => Promise.reject(error) });
}

function providerOver(egress: ScriptedEgress, events = failing(new Error('not asked'))): CalendarProvider {
  const { deps } = clientOver(egress);
  const urls = { graphUrl: ROOT, loginUrl: 'https://login.example' };
  const authorization = new MicrosoftAuthorizationServer({ egress, nowMs: deps.nowMs, ...urls });
  return microsoftProvider({ ...deps, authorization, events });
}

describe('microsoftProvider', () => {
  it('says what it can do', () => {
    const provider = providerOver(new ScriptedEgress());
    expect(provider.type).toBe('MICROSOFT');
    expect(provider.capabilities).toEqual({
      authentication: 'oauth',
      needsServerUrl: false,
      defaultEventPageSize: 100,
      syncExtent: 'window',
      requestsPerMinute: 1_000,
      rejectedTokenEndsGrant: false,
    });
    expect(provider.authorization).toBeInstanceOf(MicrosoftAuthorizationServer);
  });

  it('verifies an account with the smallest call there is', async () => {
    const egress = new ScriptedEgress().on(LIST, { json: { value: [] } });
    await providerOver(egress).verify(sessionOf());
    expect(egress.lines).toEqual([`${LIST}?$top=1&$select=id`]);
    egress.on(LIST, refusal(401, 'InvalidAuthenticationToken'));
    await expect(providerOver(egress).verify(sessionOf())).rejects.toMatchObject({ code: 'CredentialsRejected' });
  });

  it('names the permission that is denied', async () => {
    const egress = new ScriptedEgress().on(LIST, refusal(403, 'ErrorAccessDenied'));
    await expect(
      providerOver(egress).listCalendars(sessionOf(), { pageSize: 1, page: null, sync: null }),
    ).rejects.toMatchObject({ code: 'Forbidden', message: expect.stringContaining('see the calendars') });
  });

  it.each([
    [false, 'ErrorAccessDenied', 'ReadOnlyCalendar'],
    [true, 'ErrorAccessDenied', 'Forbidden'],
    [false, 'ErrorInvalidRequest', 'Forbidden'],
  ])('tells a write to a calendar with canEdit %s that is refused with %s as %s', async (canEdit, reason, code) => {
    const egress = new ScriptedEgress().on(`${LIST}/c`, { json: { id: 'c', canEdit } });
    const provider = providerOver(egress, failing(new GraphApiError(403, reason, '', null)));
    await expect(provider.deleteEvent(sessionOf(), 'c', 'e', {})).rejects.toMatchObject({ code });
    await expect(provider.getEvent(sessionOf(), 'c', 'e')).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it.each(['', '.', '..', 'a'.repeat(3_000), 'a\u0000b', '\udfff'])(
    'N19 knows that there is no event %j',
    async (eventId) => {
      const provider = providerOver(new ScriptedEgress());
      await expect(provider.getEvent(sessionOf(), 'c', eventId)).rejects.toMatchObject({ code: 'NotFound' });
    },
  );

  it('refuses to delete the default calendar, and to change one that is read-only, before it calls', async () => {
    const egress = new ScriptedEgress()
      .on(`${LIST}/c`, { json: { id: 'c', isDefaultCalendar: true, canEdit: false } })
      .on('GET /v1.0/me/mailboxSettings', { json: { timeZone: 'UTC' } });
    const provider = providerOver(egress);
    await expect(provider.deleteCalendar(sessionOf(), 'c')).rejects.toMatchObject({ code: 'Forbidden' });
    await expect(provider.updateCalendar(sessionOf(), 'c', { name: 'x' })).rejects.toMatchObject({
      code: 'ReadOnlyCalendar',
    });
    expect(egress.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('takes a calendar that is gone meanwhile for deleted', async () => {
    const egress = new ScriptedEgress()
      .on(`${LIST}/c`, { json: { id: 'c' } })
      .on('DELETE /v1.0/me/calendars/c', refusal(404, 'ErrorItemNotFound'));
    await expect(providerOver(egress).deleteCalendar(sessionOf(), 'c')).resolves.toBeUndefined();
  });

  it('changes nothing when nothing is asked for', async () => {
    const egress = new ScriptedEgress()
      .on(`${LIST}/c`, { json: { id: 'c', name: 'n' } })
      .on('GET /v1.0/me/mailboxSettings', { json: { timeZone: 'UTC' } });
    const { calendar } = await providerOver(egress).updateCalendar(sessionOf(), 'c', {});
    expect(calendar.name).toBe('n');
    expect(egress.lines.filter((line) => line.startsWith('PATCH'))).toEqual([]);
  });

  it.each<Scripted>([
    refusal(400, 'ErrorInvalidRequest', SECRET),
    refusal(401, 'InvalidAuthenticationToken'),
    refusal(503, 'serviceNotAvailable'),
    'reset',
    { text: SECRET },
  ])('N55 leaves no secret in what a caller gets: %j', async (response) => {
    const error = await providerOver(new ScriptedEgress().on(LIST, response))
      .verify(sessionOf())
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'DomainError' });
    expect(inspect(error, { depth: 20, showHidden: true })).not.toContain('canary');
  });
});
