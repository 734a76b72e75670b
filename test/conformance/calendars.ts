import type { Fixture } from './subject.js';

export function calendarsConform(fixture: () => Fixture): void {
  describe('calendars', () => {
    it('creates, reads, changes and deletes a calendar', async () => {
      const { call } = fixture();
      const made = await call('POST', 'calendars', '', {
        body: { name: 'Trips & "Täg" <1>', hexColor: '#1a73e8', timeZone: 'America/New_York' },
      });
      expect(made.status).toBe(200);
      expect(made.body).toMatchObject({
        id: expect.any(String),
        name: 'Trips & "Täg" <1>',
        hexColor: expect.stringMatching(/^#[0-9A-F]{6}$/),
        readOnly: false,
        isShared: false,
        allowedOnlineMeetingProviders: expect.any(Array),
      });
      const id = made.body.id as string;
      expect((await call('GET', 'calendars', `/${id}`)).body).toEqual(made.body);

      const changed = await call('PUT', 'calendars', `/${id}`, { body: { name: 'Journeys' } });
      expect(changed.status).toBe(200);
      expect(changed.body).toEqual({ ...made.body, name: 'Journeys' });

      expect((await call('DELETE', 'calendars', `/${id}`)).body).toEqual({ success: true });
      expect((await call('GET', 'calendars', `/${id}`)).status).toBe(404);
      expect((await call('DELETE', 'calendars', `/${id}`)).status).toBe(404);
    });

    it('keeps colour and zone as written, or says that it cannot', async () => {
      const { call } = fixture();
      const { body, headers } = await call('POST', 'calendars', '', {
        body: { name: 'Coloured', hexColor: '#AB12CD', timeZone: 'Asia/Tokyo' },
      });
      const ignored = headers.get('x-ignored-fields')?.split(/, ?/) ?? [];
      expect(['hexColor', 'timeZone']).toEqual(expect.arrayContaining(ignored));
      const read = (await call('GET', 'calendars', `/${body.id}`)).body;
      // What the provider cannot hold has to have been named.
      expect(read.hexColor === '#AB12CD').toBe(!ignored.includes('hexColor'));
      expect(read.timeZone === 'Asia/Tokyo').toBe(!ignored.includes('timeZone'));
      await call('DELETE', 'calendars', `/${body.id}`);
    });

    it('shows isPrimary as decided for the provider', async () => {
      const { call, subject } = fixture();
      const { body } = await call('GET', 'calendars');
      for (const calendar of body.data) {
        if (subject.differs.givesIsPrimaryFalse) expect(calendar.isPrimary).toBe(false);
        else expect([true, undefined]).toContain(calendar.isPrimary);
      }
    });

    it('names read-only fields of a body instead of applying them', async () => {
      const { call, calendarId } = fixture();
      const { status, headers, body } = await call('PUT', 'calendars', `/${calendarId}`, {
        body: { isPrimary: true, readOnly: true, id: 'other' },
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({ id: calendarId, readOnly: false });
      expect(headers.get('x-ignored-fields')?.split(/, ?/).sort()).toEqual(['id', 'isPrimary', 'readOnly']);
    });

    it.each([
      [{}, 'name'],
      [{ name: '' }, 'name'],
      [{ name: 'x', timeZone: 'Mars/Olympus' }, 'timeZone'],
      [{ name: 'x', hexColor: 'blue' }, 'hexColor'],
      [{ name: 'x', shade: 'blue' }, 'shade'],
    ])('refuses %j naming %s', async (body, path) => {
      const response = await fixture().call('POST', 'calendars', '', { body });
      expect(response.status).toBe(400);
      expect(response.body.code).toBe('ValidationFailed');
      expect(response.body.details.map((detail: any) => detail.path)).toContain(path);
    });

    it('pages the list and tells changes by sync token, a deletion included', async () => {
      const { call } = fixture();
      const extra = (await call('POST', 'calendars', '', { body: { name: 'Extra' } })).body.id as string;
      const ids: string[] = [];
      let syncToken: string | undefined;
      for (let pageToken: string | undefined, pages = 0; pages < 50; pages += 1) {
        const { status, body } = await call('GET', 'calendars', '', { query: { pageSize: 1, pageToken } });
        expect(status).toBe(200);
        expect(body.data).toHaveLength(1);
        ids.push(body.data[0].id);
        pageToken = body.nextPageToken ?? undefined;
        if (pageToken === undefined) {
          syncToken = body.nextSyncToken;
          break;
        }
      }
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toContain(extra);
      expect(syncToken).toEqual(expect.any(String));

      const nothing = await call('GET', 'calendars', '', { query: { syncToken } });
      expect(nothing.body.data).toEqual([]);
      const made = (await call('POST', 'calendars', '', { body: { name: 'Newer' } })).body;
      await call('DELETE', 'calendars', `/${extra}`);
      const changes = await call('GET', 'calendars', '', { query: { syncToken: nothing.body.nextSyncToken } });
      expect(changes.body.data).toHaveLength(2);
      expect(changes.body.data).toEqual(expect.arrayContaining([made, { id: extra, isDeleted: true }]));
      await call('DELETE', 'calendars', `/${made.id}`);
    });

    it('answers 404 for ids that are none', async () => {
      const { call } = fixture();
      for (const id of ['unknown', '..%2f..%2fetc', 'a'.repeat(3000), 'Lw', '_']) {
        expect((await call('GET', 'calendars', `/${id}`)).status).toBe(404);
      }
    });
  });
}
