import { at, GUEST, guests, hour, IDA, MailboxFixture, OMAR, PIA, type Json } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

const SERIES = {
  subject: 'Stand-up',
  ...hour(8),
  recurrence: {
    pattern: { type: 'daily', interval: 1 },
    range: { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 3 },
  },
};
const december = (user = IDA) => fixture.view(user, '2026-12-01', '2027-01-01');
const responses = (event: Json) =>
  (event['attendees'] as Json[]).map(({ status }) => (status as { response: string }).response);

describe('an invitation', () => {
  it('lands in the default calendars of the users who are invited', async () => {
    const event = await fixture.create(IDA, {
      subject: 'Board',
      categories: ['Red'],
      ...guests(OMAR.email, PIA.email, GUEST.userPrincipalName, 'ext@else.example', IDA.email),
      ...hour(8),
    });
    expect(event).toMatchObject({ responseStatus: { response: 'organizer' }, isOrganizer: true });
    const [copy, ...more] = await fixture.list(OMAR);
    expect(more).toEqual([]);
    expect(copy).toMatchObject({
      subject: 'Board',
      iCalUId: event['iCalUId'] as string,
      isOrganizer: false,
      organizer: { emailAddress: { name: 'Ida Berg', address: IDA.email } },
      responseStatus: { response: 'notResponded' },
      showAs: 'tentative',
      categories: [],
    });
    expect(copy!['id']).not.toBe(event['id']);
    expect(await fixture.list(PIA)).toHaveLength(1);
    expect(await fixture.list(IDA)).toHaveLength(1);
  });

  it('is brought up to date, over what the attendee changed', async () => {
    const { id } = await fixture.create(IDA, { subject: 'Board', ...guests(OMAR.email), ...hour(8) });
    const [copy] = await fixture.list(OMAR);
    const own = { subject: 'Mine', categories: ['Blue'], reminderMinutesBeforeStart: 5, ...guests('x@else.example') };
    const changed = await fixture.patch(OMAR, copy!['id'] as string, own);
    expect(changed).toMatchObject({ subject: 'Mine', attendees: [{ emailAddress: { address: OMAR.email } }] });
    expect(await fixture.get(IDA, id as string)).toMatchObject({ subject: 'Board' });
    await fixture.patch(IDA, id as string, { location: { displayName: 'Room 4' } });
    expect(await fixture.get(OMAR, copy!['id'] as string)).toMatchObject({
      subject: 'Board',
      location: { displayName: 'Room 4' },
      categories: ['Blue'],
      reminderMinutesBeforeStart: 5,
    });
  });

  it('carries no extended properties of the organizer', async () => {
    const property = { id: 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucPublic', value: '{}' };
    await fixture.create(IDA, { singleValueExtendedProperties: [property], ...guests(OMAR.email), ...hour(8) });
    const $expand = `singleValueExtendedProperties($filter=id eq '${property.id}')`;
    expect((await fixture.list(OMAR, { $expand }))[0]).not.toHaveProperty('singleValueExtendedProperties');
  });

  it('stays as a cancelled one when the meeting is called off, or its guest is', async () => {
    const cancelled = { isCancelled: true, subject: 'Canceled: Board', showAs: 'free' };
    for (const end of ['delete', 'cancel', 'uninvite']) {
      const { id } = await fixture.create(IDA, { subject: 'Board', ...guests(OMAR.email), ...hour(8) });
      const [copy] = await fixture.list(OMAR);
      if (end === 'uninvite') await fixture.patch(IDA, id as string, { attendees: [] });
      else await fixture.act(IDA, end, id as string);
      expect(await fixture.list(OMAR)).toEqual([expect.objectContaining({ ...cancelled, id: copy!['id'] as string })]);
      await fixture.remove(OMAR, copy!['id'] as string);
    }
  });

  it('is cancelled by its organizer alone', async () => {
    await fixture.create(IDA, { ...guests(OMAR.email), ...hour(8) });
    const [copy] = await fixture.list(OMAR);
    const options = { path: { 'event-id': copy!['id'] as string }, body: { comment: 'no' } };
    expect(await fixture.refusal(OMAR, 'cancel_me_events_By_event_id', options)).toBe('400 ErrorInvalidRequest');
  });

  it('comes again to who had deleted it', async () => {
    const { id } = await fixture.create(IDA, { ...guests(OMAR.email), ...hour(8) });
    await fixture.remove(OMAR, (await fixture.list(OMAR))[0]!['id'] as string);
    expect(await fixture.list(OMAR)).toEqual([]);
    await fixture.patch(IDA, id as string, { subject: 'Still on' });
    expect(await fixture.list(OMAR)).toMatchObject([{ subject: 'Still on' }]);
  });

  it('from outside of the sandbox can be answered', async () => {
    const uid = fixture.api.invite({
      email: IDA.email!,
      calendarId: null,
      subject: 'Vendor call',
      startUtc: '2026-12-02T13:00:00Z',
      endUtc: '2026-12-02T13:30:00Z',
      organizer: { name: 'Vic', address: 'vic@else.example' },
    });
    const [event] = await fixture.list(IDA);
    expect(event).toMatchObject({
      iCalUId: uid,
      isOrganizer: false,
      organizer: { emailAddress: { address: 'vic@else.example' } },
      start: { dateTime: '2026-12-02T13:00:00.0000000' },
      attendees: [{ emailAddress: { address: IDA.email } }],
    });
    await fixture.act(IDA, 'accept', event!['id'] as string, { sendResponse: true });
    expect((await fixture.list(IDA))[0]).toMatchObject({ responseStatus: { response: 'accepted' }, showAs: 'busy' });
  });
});

describe('an answer', () => {
  async function invited(): Promise<{ id: string; copyId: string }> {
    const { id } = await fixture.create(IDA, { showAs: 'oof', ...guests(OMAR.email, PIA.email), ...hour(8) });
    const [copy] = await fixture.list(OMAR);
    return { id: id as string, copyId: copy!['id'] as string };
  }

  it.each([
    ['accept', 'accepted', 'oof'],
    ['tentativelyAccept', 'tentativelyAccepted', 'tentative'],
  ])('%s is told to the organizer, and to nobody else', async (verb, response, showAs) => {
    const { id, copyId } = await invited();
    expect(await fixture.act(OMAR, verb, copyId, { sendResponse: true, comment: 'ok' })).toEqual({
      status: 202,
      body: null,
    });
    expect(await fixture.get(OMAR, copyId)).toMatchObject({
      responseStatus: { response, time: '2026-11-21T09:00:00.0000000Z' },
      showAs,
    });
    expect(responses(await fixture.get(IDA, id))).toEqual([response, 'none']);
    expect(responses((await fixture.list(PIA))[0]!)).toEqual(['none', 'none']);
  });

  it('that declines takes the event out of the calendar', async () => {
    const { id, copyId } = await invited();
    await fixture.act(OMAR, 'decline', copyId);
    expect(await fixture.list(OMAR)).toEqual([]);
    expect(responses(await fixture.get(IDA, id))).toEqual(['declined', 'none']);
  });

  it('that is not sent stays with who gave it', async () => {
    const { id, copyId } = await invited();
    await fixture.act(OMAR, 'accept', copyId, { sendResponse: false });
    expect(await fixture.get(OMAR, copyId)).toMatchObject({ responseStatus: { response: 'accepted' } });
    expect(responses(await fixture.get(IDA, id))).toEqual(['none', 'none']);
  });

  it('survives a change of words, and not one of times', async () => {
    const { id, copyId } = await invited();
    await fixture.act(OMAR, 'accept', copyId);
    await fixture.patch(IDA, id, { subject: 'Reworded' });
    expect(await fixture.get(OMAR, copyId)).toMatchObject({ responseStatus: { response: 'accepted' }, showAs: 'oof' });
    const moved = await fixture.patch(IDA, id, hour(10));
    expect(responses(moved)).toEqual(['none', 'none']);
    expect(await fixture.get(OMAR, copyId)).toMatchObject({
      responseStatus: { response: 'notResponded' },
      showAs: 'tentative',
    });
  });

  it.each([
    ['by the organizer', { sendResponse: true }, true, '400 ErrorInvalidRequest'],
    ['with a comment that nobody gets', { sendResponse: false, comment: 'hm' }, false, '400 ErrorInvalidParameter'],
    ['with another time', { sendResponse: true, proposedNewTime: hour(9) }, false, '501 NotImplemented'],
  ])('%s is refused', async (_, body, isOwn, rejection) => {
    const { id, copyId } = await invited();
    const options = { path: { 'event-id': isOwn ? id : copyId }, body };
    expect(await fixture.refusal(isOwn ? IDA : OMAR, 'decline_me_events_By_event_id', options)).toMatch(rejection);
  });

  it('to what is called off is refused', async () => {
    const { id, copyId } = await invited();
    const path = { 'event-id': copyId };
    await fixture.remove(IDA, id);
    expect(await fixture.refusal(OMAR, 'accept_me_events_By_event_id', { path })).toBe('400 ErrorInvalidRequest');
  });
});

describe('a series with guests', () => {
  async function invited(): Promise<{ id: string; copyId: string }> {
    const { id } = await fixture.create(IDA, { ...SERIES, ...guests(OMAR.email) });
    const [copy] = await fixture.list(OMAR);
    return { id: id as string, copyId: copy!['id'] as string };
  }
  const instance = async (user: typeof IDA, index: number) => (await december(user))[index]!['id'] as string;

  it('is copied with its instances, the changed ones and the deleted ones', async () => {
    const { copyId } = await invited();
    await fixture.patch(IDA, await instance(IDA, 0), { subject: 'Kick-off' });
    await fixture.remove(IDA, await instance(IDA, 1));
    expect((await december(IDA)).map(({ subject }) => subject as string)).toEqual(['Kick-off', 'Stand-up']);
    expect(
      (await december(OMAR)).map(({ subject, isCancelled, seriesMasterId }) => [subject, isCancelled, seriesMasterId]),
    ).toEqual([
      ['Kick-off', false, copyId],
      ['Canceled: Stand-up', true, copyId],
      ['Stand-up', false, copyId],
    ]);
  });

  it('is answered as a whole', async () => {
    const { id, copyId } = await invited();
    await fixture.patch(IDA, await instance(IDA, 0), { subject: 'Kick-off' });
    await fixture.act(OMAR, 'accept', copyId);
    expect((await december(OMAR)).map((row) => (row['responseStatus'] as Json)['response'] as string)).toEqual(
      Array(3).fill('accepted'),
    );
    expect((await december(IDA)).flatMap(responses)).toEqual(Array(3).fill('accepted'));
    expect(responses(await fixture.get(IDA, id))).toEqual(['accepted']);
  });

  it('is answered for one instance, which is an exception for both from then on', async () => {
    const { id } = await invited();
    await fixture.act(OMAR, 'tentativelyAccept', await instance(OMAR, 1));
    expect((await december(OMAR)).map(({ type }) => type as string)).toEqual(['occurrence', 'exception', 'occurrence']);
    expect((await december(IDA)).flatMap(responses)).toEqual(['none', 'tentativelyAccepted', 'none']);
    await fixture.act(OMAR, 'decline', await instance(OMAR, 2));
    expect(await december(OMAR)).toHaveLength(2);
    expect((await december(IDA)).flatMap(responses)).toEqual(['none', 'tentativelyAccepted', 'declined']);
    await fixture.patch(IDA, id, { subject: 'Scrum' });
    expect((await december(OMAR)).map(({ responseStatus }) => (responseStatus as Json)['response'] as string)).toEqual([
      'notResponded',
      'tentativelyAccepted',
    ]);
  });

  it('asks again for an instance that is moved, and for all when the series is', async () => {
    const { id, copyId } = await invited();
    await fixture.act(OMAR, 'accept', copyId);
    const two = { start: at('2026-12-02T20:00:00'), end: at('2026-12-02T21:00:00') };
    await fixture.patch(IDA, await instance(IDA, 1), two);
    const responses = async () =>
      (await december(OMAR)).map(({ responseStatus }) => (responseStatus as Json)['response'] as string);
    expect(await responses()).toEqual(['accepted', 'notResponded', 'accepted']);
    await fixture.patch(IDA, id, hour(15));
    expect(await responses()).toEqual(Array(3).fill('notResponded'));
    expect((await december(OMAR)).map(({ type }) => type as string)).toEqual(Array(3).fill('occurrence'));
  });

  it('is the series of the organizer again after a guest gave it another pattern', async () => {
    const { id, copyId } = await invited();
    const pattern = { type: 'daily', interval: 30 };
    const range = { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 2 };
    await fixture.patch(OMAR, copyId, { recurrence: { pattern, range } });
    await fixture.patch(OMAR, await instance(OMAR, 1), { subject: 'Mine' });
    await fixture.remove(IDA, await instance(IDA, 1));
    await fixture.patch(IDA, id, { subject: 'Scrum' });
    expect((await december(OMAR)).map(({ subject }) => subject as string)).toEqual(['Scrum', 'Scrum']);
  });

  it('has guests of single instances, who get nothing but these', async () => {
    await invited();
    const second = await instance(IDA, 1);
    await fixture.patch(IDA, second, guests(OMAR.email, PIA.email));
    const [part, ...more] = await fixture.list(PIA);
    expect(more).toEqual([]);
    expect(part).toMatchObject({ type: 'singleInstance', start: { dateTime: '2026-12-02T08:00:00.0000000' } });
    expect(part!['iCalUId']).toBe((await fixture.get(IDA, second))['iCalUId']);
    await fixture.act(PIA, 'accept', part!['id'] as string);
    expect(responses(await fixture.get(IDA, second))).toEqual(['none', 'accepted']);
    await fixture.patch(IDA, second, guests(PIA.email));
    expect((await december(OMAR)).map(({ isCancelled }) => isCancelled as boolean)).toEqual([false, true, false]);
    await fixture.remove(IDA, second);
    expect(await fixture.list(PIA)).toMatchObject([{ isCancelled: true }]);
  });
});
