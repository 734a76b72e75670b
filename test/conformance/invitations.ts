import type { Fixture } from './subject.js';

export function invitationsConform(fixture: () => Fixture): void {
  describe('attendees and answers', () => {
    const meeting = {
      title: 'With guests',
      start: { dateTime: '2033-01-10T09:00:00Z' },
      end: { dateTime: '2033-01-10T10:00:00Z' },
      attendees: [
        { email: 'bob@example.test', name: 'Bob "B"; Builder' },
        { email: 'carol@example.test', name: 'Carol "C"' },
      ],
    };

    it('writes attendees and shows who organises', async () => {
      const made = await fixture().create(meeting);
      expect(
        made.attendees
          .map(({ email }: any) => email)
          .filter((email: string) => email.endsWith('@example.test'))
          .sort(),
      ).toEqual(expect.arrayContaining(['bob@example.test', 'carol@example.test']));
      const bob = made.attendees.find(({ email }: any) => email === 'bob@example.test');
      expect(bob).toMatchObject({ id: expect.any(String), responseStatus: 'needsAction' });
      expect(bob.name).toMatch(/^Bob .B.; Builder$/);
      const carol = made.attendees.find(({ email }: any) => email === 'carol@example.test');
      expect(carol.name).toMatch(/^Carol .C.$/);
      expect(made.organizer).toMatchObject({ isSelf: true, email: expect.any(String) });
    });

    it('replaces the attendees by those given and keeps the answers of those who stay', async () => {
      const { create, call, calendarId } = fixture();
      const made = await create(meeting);
      const changed = await call('PUT', 'events', `/${calendarId}/${made.id}`, {
        body: { attendees: [{ email: 'carol@example.test' }, { email: 'dave@example.test' }] },
      });
      expect(changed.status).toBe(200);
      const emails = changed.body.attendees.map(({ email }: any) => email);
      expect(emails).toEqual(expect.arrayContaining(['carol@example.test', 'dave@example.test']));
      expect(emails).not.toContain('bob@example.test');
    });

    it.each(['accepted', 'tentative', 'declined', 'needsAction'])(
      'answers an invitation with %s',
      async (responseStatus) => {
        const { call, calendarId, subject, readAll } = fixture();
        const iCalUid = await subject.elsewhere.invite(calendarId, {
          title: `Invited ${responseStatus}`,
          startUtc: '2033-02-10T09:00:00Z',
          endUtc: '2033-02-10T10:00:00Z',
        });
        const [invitation] = (await readAll(`/${calendarId}`, { iCalUid })).items;
        expect(invitation).toMatchObject({ myResponseStatus: 'needsAction', organizer: { isSelf: false } });
        const path = `/${calendarId}/${invitation.id}`;
        const response = await call('POST', 'events', `${path}/rsvp`, { body: { responseStatus } });
        expect(response.status).toBe(200);
        expect(response.body).toEqual({ success: true });
        const read = await call('GET', 'events', path);
        if (responseStatus === 'declined' && !subject.differs.keepsDeclined) {
          expect(read.status).toBe(404);
          return;
        }
        expect(read.body).toMatchObject({
          myResponseStatus: responseStatus,
          title: invitation.title,
        });
      },
    );

    it.each(['accepted', 'tentative', 'declined'])(
      'answers an invitation by a change with %s',
      async (myResponseStatus) => {
        const { call, calendarId, subject, readAll } = fixture();
        const iCalUid = await subject.elsewhere.invite(calendarId, {
          title: `Changed ${myResponseStatus}`,
          startUtc: '2033-02-11T09:00:00Z',
          endUtc: '2033-02-11T10:00:00Z',
        });
        const [{ id }] = (await readAll(`/${calendarId}`, { iCalUid })).items;
        const response = await call('PUT', 'events', `/${calendarId}/${id}`, { body: { myResponseStatus } });
        expect([response.status, response.body.myResponseStatus]).toEqual([200, myResponseStatus]);
        expect(response.headers.get('x-ignored-fields')).toBeNull();
      },
    );

    it('refuses an answer from the organizer, to an event without invitation, and one that is none', async () => {
      const { create, call, calendarId } = fixture();
      const own = await create(meeting);
      const alone = await create({ ...meeting, attendees: undefined });
      for (const { id } of [own, alone]) {
        const response = await call('POST', 'events', `/${calendarId}/${id}/rsvp`, {
          body: { responseStatus: 'accepted' },
        });
        expect(response.status).toBe(400);
      }
      const unknown = await call('POST', 'events', `/${calendarId}/${own.id}/rsvp`, {
        body: { responseStatus: 'maybe' },
      });
      expect(unknown.status).toBe(400);
      expect(unknown.body.details[0].path).toBe('responseStatus');
    });

    it('names notifyParticipants when the provider cannot do as asked, and refuses an unknown value', async () => {
      const { call, calendarId } = fixture();
      const { status, headers } = await call('POST', 'events', `/${calendarId}`, {
        body: meeting,
        query: { notifyParticipants: 'external' },
      });
      expect(status).toBe(200);
      expect([null, 'notifyParticipants']).toContain(headers.get('x-ignored-fields'));
      expect(
        (await call('POST', 'events', `/${calendarId}`, { body: meeting, query: { notifyParticipants: 'some' } }))
          .status,
      ).toBe(400);
    });
  });
}
