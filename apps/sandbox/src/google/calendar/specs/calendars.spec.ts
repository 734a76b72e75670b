import { FakeHost, hour, KIM, MARA, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

const HOLIDAYS = 'en.uk#holiday@group.v.calendar.google.com';
const entries = (user: typeof MARA, query = {}) => fixture.call(user, 'calendarList.list', { query });
const ids = (user: typeof MARA, query = {}) => entries(user, query).items.map(({ id }: any) => id);

describe('a new user', () => {
  it('has a primary calendar and one of holidays', () => {
    const { items, kind, nextSyncToken } = entries(MARA);
    expect(kind).toBe('calendar#calendarList');
    expect(nextSyncToken).toEqual(expect.any(String));
    expect(items).toEqual([
      {
        kind: 'calendar#calendarListEntry',
        etag: expect.stringMatching(/^"\d+"$/),
        id: MARA.email,
        summary: MARA.email,
        timeZone: 'Europe/Lisbon',
        colorId: '14',
        backgroundColor: '#9fe1e7',
        foregroundColor: '#000000',
        selected: true,
        accessRole: 'owner',
        defaultReminders: [{ method: 'popup', minutes: 10 }],
        primary: true,
        conferenceProperties: { allowedConferenceSolutionTypes: ['hangoutsMeet'] },
      },
      expect.objectContaining({ id: HOLIDAYS, accessRole: 'reader', summary: 'Holidays in the United Kingdom' }),
    ]);
  });

  it('reads the holidays and does not write them', () => {
    const holidays = fixture.events(MARA, HOLIDAYS);
    const [first] = holidays.list({ timeMin: '2026-12-01T00:00:00Z' }).items;
    expect(first).toMatchObject({
      summary: 'Christmas Day',
      start: { date: '2026-12-25' },
      end: { date: '2026-12-26' },
    });
    expect(holidays.refusal('insert', '', hour(1))).toBe(
      '403 requiredAccessLevel You need to have writer access to this calendar.',
    );
  });

  it('is added once', () => {
    fixture.events(MARA).insert(hour(1));
    fixture.api.addUser(MARA);
    expect(fixture.events(MARA).ids()).toHaveLength(1);
    fixture.memory.clear();
    fixture.api.reset();
    fixture.api.addUser(MARA);
    expect(fixture.events(MARA).ids()).toEqual([]);
  });
});

describe('calendars', () => {
  it('are made, and stand on the list of their owner', () => {
    const calendar = fixture.call(MARA, 'calendars.insert', { body: { summary: 'Allotment' } });
    expect(calendar).toEqual({
      kind: 'calendar#calendar',
      etag: expect.any(String),
      id: expect.stringMatching(/^c_[0-9a-f]{64}@group\.calendar\.google\.com$/),
      summary: 'Allotment',
      timeZone: 'UTC',
      dataOwner: MARA.email,
      conferenceProperties: { allowedConferenceSolutionTypes: ['hangoutsMeet'] },
    });
    expect(fixture.call(MARA, 'calendarList.get', { path: { calendarId: calendar.id } })).toMatchObject({
      accessRole: 'owner',
      dataOwner: MARA.email,
    });
  });

  it('are changed with other etags; the list entry changes with them, its sync does not tell', () => {
    const path = { calendarId: fixture.newCalendar(MARA) };
    const { nextSyncToken: syncToken } = entries(MARA);
    const before = fixture.call(MARA, 'calendarList.get', { path });
    const body = { summary: 'Boats', description: 'x', timeZone: 'Europe/Berlin' };
    const patched = fixture.call(MARA, 'calendars.patch', { path, body });
    expect(patched).toMatchObject(body);
    const after = fixture.call(MARA, 'calendarList.get', { path });
    expect(after).toMatchObject(body);
    expect(after.etag).not.toBe(before.etag);
    expect(entries(MARA, { syncToken }).items).toEqual([]);
    expect(fixture.call(MARA, 'calendars.patch', { path, body: { summary: 'x' } }).timeZone).toBe('Europe/Berlin');
    expect(fixture.refusal(MARA, 'calendars.patch', { path, body, headers: { 'if-match': patched.etag } })).toMatch(
      /^412/,
    );
  });

  it.each([
    ['calendars.insert', {}, '400 required Missing title.'],
    ['calendars.insert', { summary: 'x', timeZone: 'W. Europe Standard Time' }, '400 invalid Invalid time zone value.'],
    ['calendars.patch', { summary: '' }, '400 required Missing title.'],
    ['calendars.patch', { timeZone: 'Mars/Base' }, '400 invalid Invalid time zone value.'],
    ['calendars.patch', { labelProperties: {} }, expect.stringMatching(/^501/)],
  ])('%s refuses %j', (method, body, rejection) => {
    const path = { calendarId: fixture.newCalendar(MARA) };
    expect(fixture.refusal(MARA, method, { path, body })).toEqual(rejection);
  });

  it('note what is read-only', () => {
    fixture.newCalendar(MARA, { summary: 'x', dataOwner: KIM.email });
    expect(fixture.violations).toEqual(['calendars: dataOwner is read-only']);
  });

  it('are gone for everybody when the owner deletes them, with what they had organized', () => {
    const calendarId = fixture.newCalendar(MARA);
    fixture.share(MARA, calendarId, RAVI.email, 'writer');
    fixture.call(RAVI, 'calendarList.insert', { body: { id: calendarId } });
    const { nextSyncToken: syncToken } = entries(RAVI);
    const { id } = fixture.events(MARA, calendarId).insert({ ...hour(1), attendees: [{ email: KIM.email }] });
    const path = { calendarId };
    expect(fixture.refusal(RAVI, 'calendars.delete', { path })).toBe(
      '403 requiredAccessLevel You need to have owner access to this calendar.',
    );
    fixture.call(MARA, 'calendars.delete', { path });
    for (const method of ['calendars.get', 'calendars.delete', 'calendarList.get', 'events.list']) {
      expect(fixture.refusal(MARA, method, { path })).toBe('404 notFound Not Found');
    }
    expect(entries(RAVI, { syncToken }).items).toEqual([
      { kind: 'calendar#calendarListEntry', etag: expect.any(String), id: calendarId, deleted: true },
    ]);
    expect(fixture.events(KIM).get(id).status).toBe('cancelled');
  });

  it('that are primary are not deleted', () => {
    const path = { calendarId: 'primary' };
    expect(fixture.refusal(MARA, 'calendars.delete', { path })).toBe('403 forbidden Forbidden');
  });
});

describe('the calendar list', () => {
  const patch = (calendarId: string, body: object, query = {}) =>
    fixture.call(MARA, 'calendarList.patch', { path: { calendarId }, body, query });

  it('takes RGB colours with colorRgbFormat only', () => {
    const id = fixture.newCalendar(MARA);
    const before = fixture.call(MARA, 'calendarList.get', { path: { calendarId: id } });
    expect(patch(id, { backgroundColor: '#112233' }).backgroundColor).toBe(before.backgroundColor);
    expect(fixture.violations).toEqual(['calendarList: colours are ignored without colorRgbFormat=true']);
    const colors = { backgroundColor: '#16a760', foregroundColor: '#ffffff' };
    expect(patch(id, colors, { colorRgbFormat: true })).toMatchObject({ ...colors, colorId: '8' });
    expect(patch(id, { hidden: true })).toMatchObject({ ...colors, hidden: true });
    expect(patch(id, { colorId: '3' })).toMatchObject({ colorId: '3', backgroundColor: '#f83a22' });
  });

  it.each([
    [{ backgroundColor: 'red' }, '400 invalid Invalid color value.'],
    [{ foregroundColor: '#fff' }, '400 invalid Invalid color value.'],
    [{ defaultReminders: [{ method: 'popup', minutes: -1 }] }, expect.stringMatching(/^400 invalid/)],
  ])('refuses %j', (body, rejection) => {
    const parts = { path: { calendarId: 'primary' }, body, query: { colorRgbFormat: true } };
    expect(fixture.refusal(MARA, 'calendarList.patch', parts)).toEqual(rejection);
  });

  it('refuses colours that the palette does not have', () => {
    const parts = { path: { calendarId: 'primary' }, body: { colorId: '25' } };
    expect(fixture.refusal(MARA, 'calendarList.patch', parts)).toBe('400 invalid Invalid color id.');
  });

  it('merges a patch', () => {
    const id = fixture.newCalendar(MARA);
    const own = { summaryOverride: 'Boat', selected: true, defaultReminders: [{ method: 'email', minutes: 5 }] };
    patch(id, own);
    expect(patch(id, { summaryOverride: null })).toMatchObject({
      selected: true,
      defaultReminders: own.defaultReminders,
    });
  });

  it('notes what is read-only', () => {
    const id = fixture.newCalendar(MARA);
    expect(patch(id, { summary: 'x', accessRole: 'reader' }).summary).toBe('Boat rota');
    expect(fixture.violations).toEqual(['calendarList: accessRole is read-only', 'calendarList: summary is read-only']);
  });

  it('hides what is hidden, and removes what is removed', () => {
    const id = fixture.newCalendar(MARA);
    patch(id, { hidden: true });
    expect(ids(MARA)).not.toContain(id);
    expect(ids(MARA, { showHidden: true })).toContain(id);
    fixture.call(MARA, 'calendarList.delete', { path: { calendarId: id } });
    expect(ids(MARA, { showHidden: true })).not.toContain(id);
    expect(ids(MARA, { showDeleted: true })).toContain(id);
    expect(fixture.refusal(MARA, 'calendarList.delete', { path: { calendarId: id } })).toMatch(/^404/);
    expect(fixture.call(MARA, 'calendarList.insert', { body: { id } })).toMatchObject({ id, accessRole: 'owner' });
    expect(fixture.refusal(MARA, 'calendarList.delete', { path: { calendarId: 'primary' } })).toMatch(
      /^400 cannotChangeOwnPrimarySubscription/,
    );
  });

  it('keeps a least role', () => {
    expect(ids(MARA, { minAccessRole: 'writer' })).toEqual([MARA.email]);
    expect(entries(MARA, { minAccessRole: 'reader' })).not.toHaveProperty('nextSyncToken');
  });

  it('comes in pages', () => {
    const calendarId = fixture.newCalendar(MARA);
    const first = entries(MARA, { maxResults: 2 });
    expect(first).not.toHaveProperty('nextSyncToken');
    expect(ids(MARA, { maxResults: 2, pageToken: first.nextPageToken })).toEqual([calendarId]);
  });

  it('syncs what is hidden and removed', () => {
    const [hidden, removed] = [fixture.newCalendar(MARA), fixture.newCalendar(MARA)];
    const { nextSyncToken: syncToken } = entries(MARA);
    patch(hidden, { hidden: true });
    fixture.call(MARA, 'calendarList.delete', { path: { calendarId: removed } });
    expect(entries(MARA, { syncToken }).items).toMatchObject([
      { id: hidden, hidden: true },
      { id: removed, deleted: true },
    ]);
    for (const query of [{ showDeleted: false }, { showHidden: false }, { minAccessRole: 'reader' }]) {
      expect(fixture.refusal(MARA, 'calendarList.list', { query: { ...query, syncToken } })).toMatch(/^400 invalid/);
    }
    expect(fixture.refusal(RAVI, 'calendarList.list', { query: { syncToken } })).toMatch(/^400 invalid/);
    fixture.api.expireSyncTokens({ email: MARA.email });
    expect(fixture.refusal(MARA, 'calendarList.list', { query: { syncToken } })).toMatch(/^410 fullSyncRequired/);
  });

  it('holds conditions', () => {
    const { etag } = patch('primary', {});
    const path = { calendarId: 'primary' };
    const get = fixture.answer(MARA, 'calendarList.get', { path, headers: { 'if-none-match': etag } });
    expect(get.status).toBe(304);
    patch('primary', { selected: false });
    const parts = { path, body: {}, headers: { 'if-match': etag } };
    expect(fixture.refusal(MARA, 'calendarList.patch', parts)).toMatch(/^412 conditionNotMet/);
  });
});

describe('a shared calendar', () => {
  const shared = (role: string) => {
    const calendarId = fixture.newCalendar(MARA);
    fixture.share(MARA, calendarId, RAVI.email, role);
    return calendarId;
  };

  it('can be put on the list, and is off it when it is not shared any more', () => {
    const calendarId = shared('reader');
    expect(fixture.refusal(KIM, 'calendarList.insert', { body: { id: calendarId } })).toBe('404 notFound Not Found');
    const entry = fixture.call(RAVI, 'calendarList.insert', { body: { id: calendarId } });
    expect(entry).toMatchObject({ accessRole: 'reader', dataOwner: MARA.email });
    const { nextSyncToken: syncToken } = entries(RAVI);
    fixture.share(MARA, calendarId, RAVI.email, 'none');
    expect(entries(RAVI, { syncToken }).items).toMatchObject([{ id: calendarId, deleted: true }]);
    expect(fixture.refusal(RAVI, 'events.list', { path: { calendarId } })).toBe('404 notFound Not Found');
  });

  it.each([
    ['freeBusyReader', '403 requiredAccessLevel'],
    ['reader', '403 requiredAccessLevel'],
    ['none', '404 notFound'],
  ])('is not written by whom is %s', (role, rejection) => {
    const calendarId = shared(role);
    for (const [method, parts] of [
      ['events.insert', { body: hour(1) }],
      ['calendars.patch', { body: { summary: 'x' } }],
    ] as const) {
      expect(fixture.refusal(RAVI, method, { path: { calendarId }, ...parts })).toMatch(new RegExp(`^${rejection}`));
    }
  });

  it.each([
    ['freeBusyReader', 'Open', false],
    ['reader', 'Secret', false],
    ['reader', 'Open', true],
    ['writerWithoutPrivateAccess', 'Secret', false],
    ['writer', 'Secret', true],
  ])('shows a %s the event %s: %s', (role, summary, isShown) => {
    const calendarId = shared(role);
    const visibility = summary === 'Secret' ? 'private' : 'default';
    const { id } = fixture.events(MARA, calendarId).insert({ ...hour(1), summary, visibility });
    const seen = fixture.events(RAVI, calendarId).get(id);
    if (isShown) expect(seen.summary).toBe(summary);
    else {
      expect(Object.keys(seen).sort()).toEqual(
        [
          'created',
          'end',
          'etag',
          'eventType',
          'iCalUID',
          'id',
          'kind',
          'start',
          'status',
          'updated',
          'visibility',
        ].sort(),
      );
      expect(seen.visibility).toBe('private');
    }
  });

  it('is written by writers, in their own name', () => {
    const calendarId = shared('writer');
    const event = fixture.events(RAVI, calendarId).insert(hour(1));
    expect(event).toMatchObject({ creator: { email: RAVI.email }, organizer: { email: calendarId } });
    expect(fixture.call(RAVI, 'calendars.patch', { path: { calendarId }, body: { summary: 'Ours' } }).summary).toBe(
      'Ours',
    );
  });

  it('has rules that its owners change, whole domains included', () => {
    const calendarId = shared('reader');
    const path = { calendarId };
    const rule = { role: 'reader', scope: { type: 'domain', value: 'partner.example' } };
    expect(fixture.refusal(RAVI, 'acl.insert', { path, body: rule })).toMatch(/^403 requiredAccessLevel/);
    expect(fixture.call(MARA, 'acl.insert', { path, body: rule })).toMatchObject({
      kind: 'calendar#aclRule',
      id: 'domain:partner.example',
      ...rule,
    });
    expect(fixture.call(KIM, 'calendars.get', { path }).id).toBe(calendarId);
  });

  it.each([
    [{ role: 'boss', scope: { type: 'default' } }, '400 invalid Invalid role.'],
    [{ scope: { type: 'default' } }, '400 required Missing role.'],
    [{ role: 'reader' }, '400 required Missing scope type.'],
    [{ role: 'reader', scope: { type: 'planet' } }, '400 invalid Invalid scope type.'],
    [{ role: 'reader', scope: { type: 'user' } }, '400 invalid Invalid scope value.'],
    [
      { role: 'reader', scope: { type: 'user', value: MARA.email } },
      '403 forbidden Cannot change your own access level.',
    ],
  ])('refuses the rule %j', (body, rejection) => {
    const path = { calendarId: fixture.newCalendar(MARA) };
    expect(fixture.refusal(MARA, 'acl.insert', { path, body })).toBe(rejection);
  });
});

describe('colours', () => {
  it('are told', () => {
    const { event, calendar } = fixture.call(MARA, 'colors.get');
    expect([Object.keys(event), Object.keys(calendar)].map(({ length }) => length)).toEqual([11, 24]);
    expect(event['11']).toEqual({ background: '#dc2127', foreground: '#1d1d1d' });
  });
});
