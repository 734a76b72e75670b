import { at, GUEST, guests, hour, IDA, MailboxFixture, OMAR, PIA, type Json } from './mailbox-fixture.js';

let house: MailboxFixture;
beforeEach(() => {
  house = new MailboxFixture();
});

const SERIES = {
  subject: 'Stand-up',
  ...hour(8),
  recurrence: {
    pattern: { type: 'daily', interval: 1 },
    range: { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 3 },
  },
};
const december = (user = IDA) => house.view(user, '2026-12-01', '2027-01-01');
const answers = (event: Json) =>
  (event['attendees'] as Json[]).map(({ status }) => (status as { response: string }).response);

describe('an invitation', () => {
  it('lands in the default calendars of the users who are invited', async () => {
    const event = await house.create(IDA, {
      subject: 'Board',
      categories: ['Red'],
      ...guests(OMAR.email, PIA.email, GUEST.userPrincipalName, 'ext@else.example', IDA.email),
      ...hour(8),
    });
    expect(event).toMatchObject({ responseStatus: { response: 'organizer' }, isOrganizer: true });
    const [copy, ...more] = await house.list(OMAR);
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
    expect(await house.list(PIA)).toHaveLength(1);
    expect(await house.list(IDA)).toHaveLength(1);
  });

  it('is brought up to date, over what the attendee changed', async () => {
    const { id } = await house.create(IDA, { subject: 'Board', ...guests(OMAR.email), ...hour(8) });
    const [copy] = await house.list(OMAR);
    const own = { subject: 'Mine', categories: ['Blue'], reminderMinutesBeforeStart: 5, ...guests('x@else.example') };
    const changed = await house.patch(OMAR, copy!['id'] as string, own);
    expect(changed).toMatchObject({ subject: 'Mine', attendees: [{ emailAddress: { address: OMAR.email } }] });
    expect(await house.get(IDA, id as string)).toMatchObject({ subject: 'Board' });
    await house.patch(IDA, id as string, { location: { displayName: 'Room 4' } });
    expect(await house.get(OMAR, copy!['id'] as string)).toMatchObject({
      subject: 'Board',
      location: { displayName: 'Room 4' },
      categories: ['Blue'],
      reminderMinutesBeforeStart: 5,
    });
  });

  it('carries no extended properties of the organizer', async () => {
    const property = { id: 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucPublic', value: '{}' };
    await house.create(IDA, { singleValueExtendedProperties: [property], ...guests(OMAR.email), ...hour(8) });
    const $expand = `singleValueExtendedProperties($filter=id eq '${property.id}')`;
    expect((await house.list(OMAR, { $expand }))[0]).not.toHaveProperty('singleValueExtendedProperties');
  });

  it('stays as a cancelled one when the meeting is called off, or its guest is', async () => {
    const cancelled = { isCancelled: true, subject: 'Canceled: Board', showAs: 'free' };
    for (const end of ['delete', 'cancel', 'uninvite']) {
      const { id } = await house.create(IDA, { subject: 'Board', ...guests(OMAR.email), ...hour(8) });
      const [copy] = await house.list(OMAR);
      if (end === 'uninvite') await house.patch(IDA, id as string, { attendees: [] });
      else await house.act(IDA, end, id as string);
      expect(await house.list(OMAR)).toEqual([expect.objectContaining({ ...cancelled, id: copy!['id'] as string })]);
      await house.remove(OMAR, copy!['id'] as string);
    }
  });

  it('is cancelled by its organizer alone', async () => {
    await house.create(IDA, { ...guests(OMAR.email), ...hour(8) });
    const [copy] = await house.list(OMAR);
    const options = { path: { 'event-id': copy!['id'] as string }, body: { comment: 'no' } };
    expect(await house.refusal(OMAR, 'cancel_me_events_By_event_id', options)).toBe('400 ErrorInvalidRequest');
  });

  it('comes again to who had deleted it', async () => {
    const { id } = await house.create(IDA, { ...guests(OMAR.email), ...hour(8) });
    await house.remove(OMAR, (await house.list(OMAR))[0]!['id'] as string);
    expect(await house.list(OMAR)).toEqual([]);
    await house.patch(IDA, id as string, { subject: 'Still on' });
    expect(await house.list(OMAR)).toMatchObject([{ subject: 'Still on' }]);
  });

  it('from outside of the sandbox can be answered', async () => {
    const uid = house.api.invite({
      email: IDA.email!,
      calendarId: null,
      subject: 'Vendor call',
      startUtc: '2026-12-02T13:00:00Z',
      endUtc: '2026-12-02T13:30:00Z',
      organizer: { name: 'Vic', address: 'vic@else.example' },
    });
    const [event] = await house.list(IDA);
    expect(event).toMatchObject({
      iCalUId: uid,
      isOrganizer: false,
      organizer: { emailAddress: { address: 'vic@else.example' } },
      start: { dateTime: '2026-12-02T13:00:00.0000000' },
      attendees: [{ emailAddress: { address: IDA.email } }],
    });
    await house.act(IDA, 'accept', event!['id'] as string, { sendResponse: true });
    expect((await house.list(IDA))[0]).toMatchObject({ responseStatus: { response: 'accepted' }, showAs: 'busy' });
  });
});

describe('an answer', () => {
  async function invited(): Promise<{ id: string; copyId: string }> {
    const { id } = await house.create(IDA, { showAs: 'oof', ...guests(OMAR.email, PIA.email), ...hour(8) });
    const [copy] = await house.list(OMAR);
    return { id: id as string, copyId: copy!['id'] as string };
  }

  it.each([
    ['accept', 'accepted', 'oof'],
    ['tentativelyAccept', 'tentativelyAccepted', 'tentative'],
  ])('%s is told to the organizer, and to nobody else', async (verb, response, showAs) => {
    const { id, copyId } = await invited();
    expect(await house.act(OMAR, verb, copyId, { sendResponse: true, comment: 'ok' })).toEqual({
      status: 202,
      body: null,
    });
    expect(await house.get(OMAR, copyId)).toMatchObject({
      responseStatus: { response, time: '2026-11-21T09:00:00.0000000Z' },
      showAs,
    });
    expect(answers(await house.get(IDA, id))).toEqual([response, 'none']);
    expect(answers((await house.list(PIA))[0]!)).toEqual(['none', 'none']);
  });

  it('that declines takes the event out of the calendar', async () => {
    const { id, copyId } = await invited();
    await house.act(OMAR, 'decline', copyId);
    expect(await house.list(OMAR)).toEqual([]);
    expect(answers(await house.get(IDA, id))).toEqual(['declined', 'none']);
  });

  it('that is not sent stays with who gave it', async () => {
    const { id, copyId } = await invited();
    await house.act(OMAR, 'accept', copyId, { sendResponse: false });
    expect(await house.get(OMAR, copyId)).toMatchObject({ responseStatus: { response: 'accepted' } });
    expect(answers(await house.get(IDA, id))).toEqual(['none', 'none']);
  });

  it('survives a change of words, and not one of times', async () => {
    const { id, copyId } = await invited();
    await house.act(OMAR, 'accept', copyId);
    await house.patch(IDA, id, { subject: 'Reworded' });
    expect(await house.get(OMAR, copyId)).toMatchObject({ responseStatus: { response: 'accepted' }, showAs: 'oof' });
    const moved = await house.patch(IDA, id, hour(10));
    expect(answers(moved)).toEqual(['none', 'none']);
    expect(await house.get(OMAR, copyId)).toMatchObject({
      responseStatus: { response: 'notResponded' },
      showAs: 'tentative',
    });
  });

  it.each([
    ['by the organizer', { sendResponse: true }, true, '400 ErrorInvalidRequest'],
    ['with a comment that nobody gets', { sendResponse: false, comment: 'hm' }, false, '400 ErrorInvalidParameter'],
    ['with another time', { sendResponse: true, proposedNewTime: hour(9) }, false, '501 NotImplemented'],
  ])('%s is refused', async (_, body, isOwn, refusal) => {
    const { id, copyId } = await invited();
    const options = { path: { 'event-id': isOwn ? id : copyId }, body };
    expect(await house.refusal(isOwn ? IDA : OMAR, 'decline_me_events_By_event_id', options)).toMatch(refusal);
  });

  it('to what is called off is refused', async () => {
    const { id, copyId } = await invited();
    const path = { 'event-id': copyId };
    await house.remove(IDA, id);
    expect(await house.refusal(OMAR, 'accept_me_events_By_event_id', { path })).toBe('400 ErrorInvalidRequest');
  });
});

describe('a series with guests', () => {
  async function invited(): Promise<{ id: string; copyId: string }> {
    const { id } = await house.create(IDA, { ...SERIES, ...guests(OMAR.email) });
    const [copy] = await house.list(OMAR);
    return { id: id as string, copyId: copy!['id'] as string };
  }
  const instance = async (user: typeof IDA, index: number) => (await december(user))[index]!['id'] as string;

  it('is copied with its instances, the changed ones and the deleted ones', async () => {
    const { copyId } = await invited();
    await house.patch(IDA, await instance(IDA, 0), { subject: 'Kick-off' });
    await house.remove(IDA, await instance(IDA, 1));
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
    await house.patch(IDA, await instance(IDA, 0), { subject: 'Kick-off' });
    await house.act(OMAR, 'accept', copyId);
    expect((await december(OMAR)).map((row) => (row['responseStatus'] as Json)['response'] as string)).toEqual(
      Array(3).fill('accepted'),
    );
    expect((await december(IDA)).flatMap(answers)).toEqual(Array(3).fill('accepted'));
    expect(answers(await house.get(IDA, id))).toEqual(['accepted']);
  });

  it('is answered for one instance, which is an exception for both from then on', async () => {
    const { id } = await invited();
    await house.act(OMAR, 'tentativelyAccept', await instance(OMAR, 1));
    expect((await december(OMAR)).map(({ type }) => type as string)).toEqual(['occurrence', 'exception', 'occurrence']);
    expect((await december(IDA)).flatMap(answers)).toEqual(['none', 'tentativelyAccepted', 'none']);
    await house.act(OMAR, 'decline', await instance(OMAR, 2));
    expect(await december(OMAR)).toHaveLength(2);
    expect((await december(IDA)).flatMap(answers)).toEqual(['none', 'tentativelyAccepted', 'declined']);
    await house.patch(IDA, id, { subject: 'Scrum' });
    expect((await december(OMAR)).map(({ responseStatus }) => (responseStatus as Json)['response'] as string)).toEqual([
      'notResponded',
      'tentativelyAccepted',
    ]);
  });

  it('asks again for an instance that is moved, and for all when the series is', async () => {
    const { id, copyId } = await invited();
    await house.act(OMAR, 'accept', copyId);
    const two = { start: at('2026-12-02T20:00:00'), end: at('2026-12-02T21:00:00') };
    await house.patch(IDA, await instance(IDA, 1), two);
    const responses = async () =>
      (await december(OMAR)).map(({ responseStatus }) => (responseStatus as Json)['response'] as string);
    expect(await responses()).toEqual(['accepted', 'notResponded', 'accepted']);
    await house.patch(IDA, id, hour(15));
    expect(await responses()).toEqual(Array(3).fill('notResponded'));
    expect((await december(OMAR)).map(({ type }) => type as string)).toEqual(Array(3).fill('occurrence'));
  });

  it('is the series of the organizer again after a guest gave it another pattern', async () => {
    const { id, copyId } = await invited();
    const pattern = { type: 'daily', interval: 30 };
    const range = { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 2 };
    await house.patch(OMAR, copyId, { recurrence: { pattern, range } });
    await house.patch(OMAR, await instance(OMAR, 1), { subject: 'Mine' });
    await house.remove(IDA, await instance(IDA, 1));
    await house.patch(IDA, id, { subject: 'Scrum' });
    expect((await december(OMAR)).map(({ subject }) => subject as string)).toEqual(['Scrum', 'Scrum']);
  });

  it('has guests of single instances, who get nothing but these', async () => {
    await invited();
    const second = await instance(IDA, 1);
    await house.patch(IDA, second, guests(OMAR.email, PIA.email));
    const [part, ...more] = await house.list(PIA);
    expect(more).toEqual([]);
    expect(part).toMatchObject({ type: 'singleInstance', start: { dateTime: '2026-12-02T08:00:00.0000000' } });
    expect(part!['iCalUId']).toBe((await house.get(IDA, second))['iCalUId']);
    await house.act(PIA, 'accept', part!['id'] as string);
    expect(answers(await house.get(IDA, second))).toEqual(['none', 'accepted']);
    await house.patch(IDA, second, guests(PIA.email));
    expect((await december(OMAR)).map(({ isCancelled }) => isCancelled as boolean)).toEqual([false, true, false]);
    await house.remove(IDA, second);
    expect(await house.list(PIA)).toMatchObject([{ isCancelled: true }]);
  });
});
