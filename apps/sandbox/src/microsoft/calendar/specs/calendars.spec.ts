import { GUEST, hour, IDA, MailboxFixture, OMAR, PIA, type Json } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

const CALENDAR = 'me_calendars_By_calendar_id';
const pathOf = (id: unknown) => ({ 'calendar-id': id as string });

async function calendars(user = IDA): Promise<Json[]> {
  return (await fixture.body(user, 'list_me_calendars'))['value'] as Json[];
}

const create = (name: string, more: Json = {}) => fixture.body(IDA, 'create_me_calendars', { body: { name, ...more } });

describe('the default calendar', () => {
  it('is there from the beginning', async () => {
    expect(await calendars()).toEqual([
      {
        id: expect.stringMatching(/^(?=.*_)(?=.*-).*=$/),
        name: 'Calendar',
        color: 'auto',
        hexColor: '',
        isDefaultCalendar: true,
        changeKey: expect.any(String),
        canShare: true,
        canViewPrivateItems: true,
        canEdit: true,
        allowedOnlineMeetingProviders: ['teamsForBusiness'],
        defaultOnlineMeetingProvider: 'teamsForBusiness',
        isTallyingResponses: true,
        isRemovable: false,
        owner: { name: 'Ida Berg', address: 'ida.berg@fabrikam.example' },
      },
    ]);
    expect((await calendars(PIA))[0]).toMatchObject({
      allowedOnlineMeetingProviders: [],
      defaultOnlineMeetingProvider: 'unknown',
    });
    const [calendar] = await calendars();
    expect(await fixture.body(IDA, 'get_me_calendar')).toMatchObject(calendar!);
  });

  it('cannot be deleted, until another one is the default', async () => {
    const [calendar] = await calendars();
    const path = pathOf(calendar!['id']);
    expect(await fixture.refusal(IDA, `delete_${CALENDAR}`, { path })).toBe('400 ErrorDeleteDistinguishedFolder');
    const { id } = await create('Next');
    await fixture.body(IDA, `update_${CALENDAR}`, { path: pathOf(id), body: { isDefaultCalendar: true } });
    expect((await calendars()).map((each) => each['isDefaultCalendar'] as boolean)).toEqual([false, true]);
    expect(await fixture.refusal(IDA, `delete_${CALENDAR}`, { path })).toBe('carried out with 204');
  });

  it('is not there without a mailbox', async () => {
    for (const operation of ['list_me_calendars', 'get_me_calendar', 'list_me_calendarView_delta'])
      expect(await fixture.refusal(GUEST, operation)).toBe('404 MailboxNotEnabledForRESTAPI');
    const body = { name: 'Mine' };
    expect(await fixture.refusal(GUEST, 'create_me_calendars', { body })).toBe('404 MailboxNotEnabledForRESTAPI');
  });
});

describe('a calendar', () => {
  it('is made, changed and deleted with what is in it', async () => {
    const made = await create('Team', { color: 'lightTeal' });
    expect(made).toMatchObject({ name: 'Team', color: 'lightTeal', isDefaultCalendar: false, isRemovable: true });
    const path = pathOf(made['id']);
    const changed = await fixture.body(IDA, `update_${CALENDAR}`, { path, body: { name: 'Crew' } });
    expect(changed).toMatchObject({ id: made['id'] as string, name: 'Crew', color: 'lightTeal' });
    expect(changed['changeKey']).not.toBe(made['changeKey']);
    const event = await fixture.body(IDA, `create_${CALENDAR}_events`, { path, body: hour(8) });
    expect(await fixture.call(IDA, `delete_${CALENDAR}`, { path })).toEqual({ status: 204, body: null });
    expect(await fixture.refusal(IDA, `get_${CALENDAR}`, { path })).toBe('404 ErrorItemNotFound');
    const gone = { path: { 'event-id': event['id'] as string } };
    expect(await fixture.refusal(IDA, 'get_me_events_By_event_id', gone)).toBe('404 ErrorItemNotFound');
  });

  it('has a name of its own among those of its mailbox', async () => {
    const { id } = await create('Team');
    const body = { name: 'CALENDAR' };
    expect(await fixture.refusal(IDA, 'create_me_calendars', { body })).toBe('409 ErrorFolderExists');
    expect(await fixture.refusal(IDA, `update_${CALENDAR}`, { path: pathOf(id), body })).toBe('409 ErrorFolderExists');
    expect(await fixture.refusal(OMAR, 'create_me_calendars', { body: { name: 'Team' } })).toBe('carried out with 201');
    expect(await fixture.refusal(IDA, `get_${CALENDAR}`, { path: pathOf('x') })).toBe('400 ErrorInvalidIdMalformed');
  });

  it('keeps extended properties, which are told on request', async () => {
    const property = { id: 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucHexColor', value: '#aabbcc' };
    const { id } = await create('Team', { singleValueExtendedProperties: [property] });
    const query = { $expand: `singleValueExtendedProperties($filter=id eq '${property.id}')` };
    const extension = { singleValueExtendedProperties: [property] };
    expect(await fixture.body(IDA, `get_${CALENDAR}`, { path: pathOf(id), query })).toMatchObject(extension);
    const [first, second] = (await fixture.body(IDA, 'list_me_calendars', { query }))['value'] as Json[];
    expect(second).toMatchObject(extension);
    expect(first).not.toHaveProperty('singleValueExtendedProperties');
  });

  it('comes in lists of ten', async () => {
    for (let index = 0; index < 10; index += 1) await create(`C${index}`);
    const page = await fixture.body(IDA, 'list_me_calendars', { query: { $select: 'name' } });
    expect(page['value']).toHaveLength(10);
    expect(page['@odata.nextLink']).toMatch(/^https:\/\/graph\.example\/v1\.0\/me\/calendars\?/);
    expect((page['value'] as Json[])[0]).toEqual({ id: expect.any(String), name: 'Calendar' });
  });
});

describe('a calendar of somebody else', () => {
  const share = (canEdit: boolean) =>
    fixture.api.share({ owner: OMAR.email!, calendarId: null, with: IDA.email!, canEdit });

  it('is seen under an id of its own, with what its owner has in it', async () => {
    const { id } = await fixture.create(OMAR, { subject: 'Open', ...hour(8) });
    await fixture.create(OMAR, { subject: 'Doctor', sensitivity: 'private', ...hour(9) });
    const path = pathOf(share(false));
    expect((await calendars())[1]).toMatchObject({
      id: path['calendar-id'],
      isDefaultCalendar: false,
      canEdit: false,
      canShare: false,
      owner: { address: OMAR.email },
    });
    const { value } = await fixture.body(IDA, `list_${CALENDAR}_events`, { path });
    expect((value as Json[]).map(({ subject }) => subject as string)).toEqual(['Open', 'Private']);
    const own = { path: { 'event-id': id as string } };
    expect(await fixture.refusal(IDA, 'get_me_events_By_event_id', own)).toBe('404 ErrorItemNotFound');
    const [owners] = await calendars(OMAR);
    expect(await fixture.refusal(IDA, `get_${CALENDAR}`, { path: pathOf(owners!['id']) })).toBe(
      '404 ErrorItemNotFound',
    );
  });

  it('is written to only where that was allowed', async () => {
    const rejection = (id: string) =>
      fixture.refusal(IDA, `create_${CALENDAR}_events`, { path: pathOf(id), body: hour(8) });
    expect(await rejection(share(false))).toBe('403 ErrorAccessDenied');
    const id = share(true);
    const body = { subject: 'From Ida', ...hour(8) };
    const made = await fixture.body(IDA, `create_${CALENDAR}_events`, { path: pathOf(id), body });
    expect(made).toMatchObject({ organizer: { emailAddress: { address: OMAR.email } } });
    expect(await fixture.list(OMAR)).toHaveLength(1);
    share(false);
    const path = { ...pathOf(id), 'event-id': made['id'] as string };
    expect(await fixture.refusal(IDA, `delete_${CALENDAR}_events_By_event_id`, { path })).toBe('403 ErrorAccessDenied');
    expect(await fixture.refusal(IDA, `update_${CALENDAR}`, { path: pathOf(id), body: { name: 'x' } })).toMatch(/^403/);
  });

  it('leaves the list, not the mailbox of its owner', async () => {
    const path = pathOf(share(true));
    expect(await fixture.refusal(IDA, `delete_${CALENDAR}`, { path })).toBe('carried out with 204');
    expect(await calendars()).toHaveLength(1);
    expect(await calendars(OMAR)).toHaveLength(1);
  });
});
