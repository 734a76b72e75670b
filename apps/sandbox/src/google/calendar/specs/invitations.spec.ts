import { FakeHost, hour, KIM, MARA, mondays, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

const REFUSED = '403 forbiddenForNonOrganizer Shared properties can only be changed by the organizer of the event.';

function invite(more: object = {}): any {
  return fixture.events(MARA).insert({
    ...hour(8),
    summary: 'Partner call',
    colorId: '5',
    extendedProperties: { private: { crmId: '77' }, shared: { project: 'atlas' } },
    attendees: [{ email: RAVI.email }, { email: KIM.email.toUpperCase() }, { email: 'else@where.example' }],
    ...more,
  });
}

describe('an invitation', () => {
  it('lands on the primary calendars of the guests, as seen by each', () => {
    const { id, iCalUID } = invite();
    const copy = fixture.events(RAVI).get(id);
    expect(copy).toMatchObject({
      id,
      iCalUID,
      summary: 'Partner call',
      creator: { email: MARA.email },
      organizer: { email: MARA.email },
      attendees: [
        { email: RAVI.email, self: true, responseStatus: 'needsAction' },
        { email: KIM.email.toUpperCase() },
        { email: 'else@where.example' },
      ],
      extendedProperties: { shared: { project: 'atlas' } },
    });
    expect(copy.organizer).not.toHaveProperty('self');
    expect(copy).not.toHaveProperty('colorId');
    expect(fixture.events(KIM).get(id).attendees[1].self).toBe(true);
    expect(fixture.events(RAVI).ids()).toEqual([id]);
  });

  it('finds another id where the guest has something else under it', () => {
    fixture.events(RAVI).insert({ id: 'taken', ...hour(1), summary: 'Mine' });
    const { iCalUID } = invite({ ...mondays(), id: 'taken' });
    expect(fixture.events(RAVI).get('taken').summary).toBe('Mine');
    const copy = fixture
      .events(RAVI)
      .list({ iCalUID })
      .items.find(({ id }: any) => id !== 'taken');
    fixture.events(MARA).patch('taken_20261207T080000Z', { summary: 'Changed' });
    expect(fixture.events(RAVI).get(`${copy.id}_20261207T080000Z`)).toMatchObject({
      summary: 'Changed',
      recurringEventId: copy.id,
    });
  });

  it('reaches a secondary calendar that is invited', () => {
    const calendarId = fixture.newCalendar(RAVI);
    const { id } = invite({ attendees: [{ email: calendarId }] });
    expect(fixture.events(RAVI, calendarId).get(id).attendees).toMatchObject([{ email: calendarId, self: true }]);
  });

  it('with privateCopy goes nowhere', () => {
    const { id } = invite({ privateCopy: true });
    expect(fixture.events(RAVI).refusal('get', id)).toBe('404 notFound Not Found');
  });

  it('hides the other guests when they are not to be seen', () => {
    const { id } = invite({ guestsCanSeeOtherGuests: false });
    expect(fixture.events(RAVI).get(id)).toMatchObject({ attendees: [{ email: RAVI.email }], attendeesOmitted: true });
    expect(fixture.events(RAVI).get(id).attendees).toHaveLength(1);
    expect(fixture.events(MARA).get(id).attendees).toHaveLength(3);
  });
});

describe("the organizer's changes", () => {
  it('travel to the guests, who keep what is theirs', () => {
    const { id } = invite();
    const own = {
      colorId: '7',
      transparency: 'transparent',
      reminders: { useDefault: false },
      extendedProperties: { private: { mine: '1' } },
    };
    const before = fixture.events(RAVI).patch(id, own);
    fixture.events(MARA).patch(id, { summary: 'Moved', ...hour(9) });
    const after = fixture.events(RAVI).get(id);
    expect(after).toMatchObject({
      ...own,
      summary: 'Moved',
      sequence: 1,
      start: { dateTime: '2026-12-09T10:00:00+01:00' },
    });
    expect(after.etag).not.toBe(before.etag);
  });

  it('of the own copy are nothing to the others', () => {
    const { id, etag } = invite(mondays());
    const { etag: copy } = fixture.events(RAVI).get(id);
    fixture.events(RAVI).patch(id, { colorId: '7' });
    fixture.events(RAVI).patch(`${id}_20261207T080000Z`, { reminders: { useDefault: false } });
    expect([fixture.events(MARA).get(id).etag, fixture.events(MARA).ids()]).toEqual([etag, [id]]);
    const { etag: changed } = fixture.events(RAVI).get(id);
    fixture.events(MARA).patch(id, { colorId: '3' });
    expect(fixture.events(RAVI).get(id).etag).toBe(changed);
    expect(changed).not.toBe(copy);
  });

  it('invite and uninvite', () => {
    const { id } = invite();
    fixture.events(MARA).patch(id, { attendees: [{ email: KIM.email }] });
    expect(fixture.events(RAVI).get(id).status).toBe('cancelled');
    expect(fixture.events(RAVI).ids()).toEqual([]);
    fixture.events(MARA).patch(id, { attendees: [{ email: KIM.email }, { email: RAVI.email }] });
    expect(fixture.events(RAVI).get(id).status).toBe('confirmed');
  });

  it('cancel for everybody when they delete', () => {
    const { id } = invite();
    fixture.events(MARA).delete(id);
    for (const guest of [RAVI, KIM]) expect(fixture.events(guest).get(id).status).toBe('cancelled');
  });

  it('reset the answers that they leave out', () => {
    const { id } = invite();
    fixture
      .events(RAVI)
      .patch(id, { attendeesOmitted: true, attendees: [{ email: RAVI.email, responseStatus: 'accepted' }] });
    fixture.events(MARA).patch(id, { attendees: [{ email: RAVI.email }] });
    expect(fixture.events(RAVI).get(id).attendees).toMatchObject([{ responseStatus: 'needsAction' }]);
  });
});

describe("a guest's answer", () => {
  const response = (user: typeof RAVI, responseStatus: string) => ({
    attendeesOmitted: true,
    attendees: [{ email: user.email, responseStatus, comment: 'Late' }],
  });

  it('travels to the organizer, and from there to the other guests', () => {
    const { id } = invite();
    const patched = fixture.events(RAVI).patch(id, response(RAVI, 'tentative'));
    expect(patched.attendees).toHaveLength(3);
    for (const user of [MARA, RAVI, KIM]) {
      expect(fixture.events(user).get(id).attendees[0]).toMatchObject({
        email: RAVI.email,
        responseStatus: 'tentative',
        comment: 'Late',
      });
    }
    expect(fixture.violations).toEqual([]);
  });

  it('is all that attendeesOmitted lets through', () => {
    const { id } = invite();
    const { attendees } = fixture.events(RAVI).patch(id, {
      attendeesOmitted: true,
      attendees: [{ email: KIM.email, responseStatus: 'declined' }, { email: 'new@x.example' }],
    });
    expect(attendees.map(({ responseStatus }: any) => responseStatus)).toEqual(Array(3).fill('needsAction'));
    expect(fixture.violations).toEqual(['attendeesOmitted without the answer of the calendar itself']);
    expect(fixture.events(RAVI).refusal('patch', id, response(RAVI, 'perhaps'))).toMatch(/^400 invalid/);
  });

  it('can be written into the full list, too', () => {
    const { id } = invite();
    const { attendees } = fixture.events(RAVI).get(id);
    const list = attendees.map(({ email }: any) => ({
      email,
      ...(email === RAVI.email ? { responseStatus: 'accepted' } : {}),
    }));
    fixture.events(RAVI).patch(id, { attendees: list });
    expect(fixture.events(MARA).get(id).attendees[0].responseStatus).toBe('accepted');
  });

  it('to one instance leaves the others alone', () => {
    const { id } = invite(mondays());
    const instance = `${id}_20261207T080000Z`;
    fixture.events(RAVI).patch(instance, response(RAVI, 'declined'));
    expect(fixture.events(MARA).get(instance).attendees[0].responseStatus).toBe('declined');
    expect(fixture.events(KIM).get(instance).attendees[0].responseStatus).toBe('declined');
    expect(fixture.events(MARA).get(id).attendees[0].responseStatus).toBe('needsAction');
  });

  it('by deleting is no', () => {
    const { id } = invite();
    fixture.events(RAVI).delete(id);
    expect(fixture.events(RAVI).get(id).status).toBe('cancelled');
    expect(fixture.events(MARA).get(id).attendees[0].responseStatus).toBe('declined');
    fixture.events(MARA).patch(id, { summary: 'Still there' });
    expect(fixture.events(RAVI).ids()).toEqual([]);
    expect(fixture.events(KIM).get(id).summary).toBe('Still there');
  });

  it('by deleting one instance is no to that one', () => {
    const { id } = invite(mondays());
    const instance = `${id}_20261207T080000Z`;
    fixture.events(RAVI).delete(instance);
    expect(fixture.events(RAVI).get(instance).status).toBe('cancelled');
    expect(fixture.events(MARA).get(instance)).toMatchObject({
      status: 'confirmed',
      attendees: [{ responseStatus: 'declined' }, {}, {}],
    });
    expect(fixture.events(RAVI).get(`${id}_20261214T080000Z`).status).toBe('confirmed');
  });

  it('is not told where there are more than 200 guests', () => {
    const crowd = [...Array(200).keys()].map((number) => ({ email: `guest${number}@partner.example` }));
    const { id } = invite({ attendees: [{ email: RAVI.email }, ...crowd] });
    fixture.events(RAVI).patch(id, response(RAVI, 'accepted'));
    expect(fixture.events(RAVI).get(id).attendees[0].responseStatus).toBe('accepted');
    expect(fixture.events(MARA).get(id).attendees[0].responseStatus).toBe('needsAction');
  });
});

describe('a guest', () => {
  it.each([
    ['title', { summary: 'Mine' }],
    ['time', hour(9)],
    ['place', { location: 'Elsewhere' }],
    ['shared properties', { extendedProperties: { shared: { project: 'hijack' } } }],
    ['rights', { guestsCanModify: true }],
    ['guests', { attendees: [{ email: RAVI.email, responseStatus: 'accepted' }] }],
  ])('does not change the %s', (_name, body) => {
    const { id } = invite();
    expect(fixture.events(RAVI).refusal('patch', id, body)).toBe(REFUSED);
    expect(fixture.events(MARA).get(id).summary).toBe('Partner call');
  });

  it("does not change other guests' answers", () => {
    const { id } = invite();
    const attendees = fixture
      .events(RAVI)
      .get(id)
      .attendees.map(({ email }: any) => ({ email, responseStatus: 'declined' }));
    expect(fixture.events(RAVI).refusal('patch', id, { attendees })).toBe(REFUSED);
  });

  it('may add guests, unless the organizer does not want it', () => {
    const { id } = invite({ attendees: [{ email: RAVI.email }] });
    const attendees = [{ email: RAVI.email }, { email: KIM.email }];
    fixture.events(RAVI).patch(id, { attendees });
    expect(fixture.events(MARA).get(id).attendees).toHaveLength(2);
    expect(fixture.events(KIM).get(id).summary).toBe('Partner call');
    const closed = invite({ attendees: [{ email: RAVI.email }], guestsCanInviteOthers: false });
    expect(fixture.events(RAVI).refusal('patch', closed.id, { attendees })).toBe(REFUSED);
  });

  it('may change everything where guests can modify', () => {
    const { id } = invite({ guestsCanModify: true });
    fixture.events(RAVI).patch(id, { summary: 'Better', ...hour(9) });
    for (const user of [MARA, KIM])
      expect(fixture.events(user).get(id)).toMatchObject({ summary: 'Better', sequence: 1 });
  });
});

describe('a series', () => {
  it('brings its exceptions to the guests', () => {
    const { id } = invite(mondays());
    fixture.events(MARA).patch(`${id}_20261207T080000Z`, { summary: 'Changed' });
    fixture.events(MARA).delete(`${id}_20261214T080000Z`);
    const copies = fixture.events(RAVI).instances(id, { showDeleted: true }).items;
    expect(copies.map(({ summary, status }: any) => [summary, status])).toEqual([
      ['Weekly sync', 'confirmed'],
      ['Changed', 'confirmed'],
      ['Weekly sync', 'cancelled'],
      ['Weekly sync', 'confirmed'],
    ]);
  });

  it('brings them to guests who come later as well, and lets them go with the guests', () => {
    const { id } = invite({ ...mondays(), attendees: [{ email: KIM.email }] });
    const exception = `${id}_20261207T080000Z`;
    fixture.events(MARA).patch(exception, { summary: 'Changed' });
    fixture.events(MARA).patch(id, { attendees: [{ email: KIM.email }, { email: RAVI.email }] });
    expect(fixture.events(RAVI).get(exception)).toMatchObject({ summary: 'Changed', attendees: [{}, { self: true }] });
    fixture.events(MARA).patch(id, { attendees: [{ email: RAVI.email }] });
    expect(fixture.events(KIM).get(exception).status).toBe('cancelled');
    expect(fixture.events(RAVI).get(exception).attendees).toHaveLength(1);
  });

  it('drops exceptions on every calendar when they lose their place', () => {
    const { id } = invite(mondays());
    fixture.events(MARA).patch(`${id}_20261221T080000Z`, { summary: 'Changed' });
    fixture.events(MARA).patch(id, { recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2'] });
    for (const user of [MARA, RAVI]) expect(fixture.events(user).list({ singleEvents: true }).items).toHaveLength(2);
  });

  it('can have guests of one instance only', () => {
    const { id } = invite({ ...mondays(), attendees: [{ email: KIM.email }] });
    const instance = `${id}_20261207T080000Z`;
    fixture.events(MARA).patch(instance, { attendees: [{ email: KIM.email }, { email: RAVI.email }] });
    expect(fixture.events(RAVI).ids()).toEqual([instance]);
    expect(fixture.events(RAVI).ids({ singleEvents: true })).toEqual([instance]);
    fixture.events(RAVI).patch(instance, {
      attendeesOmitted: true,
      attendees: [{ email: RAVI.email, responseStatus: 'accepted' }],
    });
    expect(fixture.events(MARA).get(instance).attendees[1].responseStatus).toBe('accepted');
    fixture.events(MARA).delete(instance);
    expect(fixture.events(RAVI).get(instance).status).toBe('cancelled');
    expect(fixture.events(RAVI).ids()).toEqual([]);
  });

  it('that a guest has removed stays away, with its exceptions', () => {
    const { id } = invite(mondays());
    fixture.events(RAVI).delete(id);
    fixture.events(MARA).patch(`${id}_20261207T080000Z`, { summary: 'Changed' });
    expect(fixture.events(RAVI).ids()).toEqual([]);
  });
});
