import { at, hour, IDA, MailboxFixture, OMAR, type Json } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

const DECEMBER = { startDateTime: '2026-12-01T00:00:00Z', endDateTime: '2027-01-01T00:00:00Z' };
const OPERATION = 'list_me_calendarView_delta';

const first = () => fixture.delta(IDA, { query: DECEMBER });
const since = (token: string) => fixture.delta(IDA, { query: { $deltatoken: token } });
const removed = (id: unknown) => ({
  '@odata.type': '#microsoft.graph.event',
  id,
  '@removed': { reason: 'deleted' },
});

async function series(): Promise<string> {
  const { id } = await fixture.create(IDA, {
    subject: 'Stand-up',
    ...hour(8),
    recurrence: {
      pattern: { type: 'daily', interval: 1 },
      range: { type: 'numbered', startDate: '2026-12-01', numberOfOccurrences: 3 },
    },
  });
  return id as string;
}

async function occurrence(index: number): Promise<string> {
  return (await fixture.view(IDA, '2026-12-01', '2026-12-10'))[index]!['id'] as string;
}

describe('the first round', () => {
  it('tells single events whole, and instances as stubs beside their series', async () => {
    await fixture.create(IDA, { subject: 'Single', ...hour(12) });
    const master = await series();
    await fixture.patch(IDA, await occurrence(2), { subject: 'Late' });
    const { rows } = await first();
    expect(rows.map(({ type, subject }) => [type, subject] as unknown)).toEqual([
      ['singleInstance', 'Single'],
      ['seriesMaster', 'Stand-up'],
      ['occurrence', undefined],
      ['exception', 'Late'],
      ['occurrence', undefined],
    ]);
    expect(rows[2]).toEqual({
      '@odata.type': '#microsoft.graph.event',
      '@odata.etag': expect.any(String),
      id: expect.any(String),
      seriesMasterId: master,
      type: 'occurrence',
      start: { dateTime: '2026-12-01T08:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-12-01T09:00:00.0000000', timeZone: 'UTC' },
    });
  });

  it('has nothing of what is outside of its window', async () => {
    await fixture.create(IDA, { start: at('2027-02-01T08:00:00'), end: at('2027-02-01T09:00:00') });
    expect((await first()).rows).toEqual([]);
  });

  it('comes in pages of the size that is preferred, with links of its own address', async () => {
    for (let index = 0; index < 3; index += 1) await fixture.create(IDA, hour(index));
    const prefer = { 'odata.maxpagesize': '2' };
    const page = await fixture.body(IDA, OPERATION, { query: DECEMBER, prefer });
    expect(page['value']).toHaveLength(2);
    expect(page['@odata.nextLink']).toMatch(/^https:\/\/graph\.example\/v1\.0\/me\/calendarView\/delta\?\$skiptoken=/);
    expect((await fixture.delta(IDA, { query: DECEMBER, prefer })).rows).toHaveLength(3);
  });

  it('shows its whole walk as of its beginning, and tells later what came between', async () => {
    for (let index = 0; index < 3; index += 1) await fixture.create(IDA, hour(index));
    const prefer = { 'odata.maxpagesize': '2' };
    const page = await fixture.body(IDA, OPERATION, { query: DECEMBER, prefer });
    const { id } = await fixture.create(IDA, hour(5));
    const $skiptoken = new URL(page['@odata.nextLink'] as string).searchParams.get('$skiptoken')!;
    const { rows, token } = await fixture.delta(IDA, { query: { $skiptoken } });
    expect(rows).toHaveLength(1);
    expect((await since(token)).rows).toMatchObject([{ id: id as string }]);
  });
});

describe('a later round', () => {
  it('tells what is new, changed and deleted, and nothing when nothing is', async () => {
    const kept = await fixture.create(IDA, hour(1));
    const gone = await fixture.create(IDA, hour(2));
    const { token } = await first();
    expect((await since(token)).rows).toEqual([]);
    await fixture.patch(IDA, kept['id'] as string, { subject: 'Changed' });
    await fixture.remove(IDA, gone['id'] as string);
    const made = await fixture.create(IDA, { subject: 'New', ...hour(3) });
    const round = await since(token);
    expect(round.rows).toEqual([
      expect.objectContaining({ id: kept['id'] as string, subject: 'Changed' }),
      expect.objectContaining({ id: made['id'] as string, subject: 'New' }),
      removed(gone['id']),
    ]);
    expect((await since(round.token)).rows).toEqual([]);
    expect((await since(token)).rows).toHaveLength(3);
  });

  it('tells what happens outside of the window as removed, known or not', async () => {
    const { id } = await fixture.create(IDA, hour(1));
    const { token } = await first();
    const february = { start: at('2027-02-01T08:00:00'), end: at('2027-02-01T09:00:00') };
    await fixture.patch(IDA, id as string, february);
    const other = await fixture.create(IDA, february);
    expect((await since(token)).rows).toEqual([removed(id), removed(other['id'])]);
  });

  it('tells of a deleted instance only that its series has changed', async () => {
    const master = await series();
    const { token } = await first();
    await fixture.remove(IDA, await occurrence(1));
    const { rows } = await since(token);
    expect(rows.map(({ type }) => type as string)).toEqual(['seriesMaster', 'occurrence', 'occurrence']);
    expect(rows[0]).toMatchObject({ id: master });
    await fixture.remove(IDA, master);
    expect((await since(token)).rows).toEqual([removed(master)]);
  });

  it('has ids of the form that is asked for', async () => {
    const { token } = await first();
    const { id } = await fixture.create(IDA, hour(1));
    const prefer = { idtype: 'ImmutableId' };
    const { rows } = await fixture.delta(IDA, { query: { $deltatoken: token }, prefer });
    expect(rows[0]!['id']).not.toBe(id);
    expect(await fixture.get(IDA, rows[0]!['id'] as string)).toMatchObject({ id: id as string });
  });
});

describe('what a delta refuses', () => {
  it.each(['$top', '$select', '$expand', '$filter', '$orderby', '$search'])('%s', async (name) => {
    const query: Record<string, string> = { ...DECEMBER, [name]: '1' };
    expect(await fixture.refusal(IDA, OPERATION, { query })).toBe('400 ErrorInvalidUrlQuery');
  });

  it('tokens of somebody else, and what is none', async () => {
    const { token } = await first();
    const rejection = (user: Json, $deltatoken: string) =>
      fixture.refusal(user as never, OPERATION, { query: { $deltatoken } });
    expect(await rejection(OMAR, token)).toBe('400 SyncStateInvalid');
    expect(await rejection(IDA, 'x')).toBe('400 SyncStateInvalid');
    expect(await fixture.refusal(IDA, OPERATION, { query: { $skiptoken: token } })).toBe('400 SyncStateInvalid');
  });

  it('tokens that expired, until a new round began', async () => {
    const { token } = await first();
    await fixture.delta(OMAR, { query: DECEMBER });
    expect(fixture.api.expireDeltaTokens({ email: 'IDA.berg@fabrikam.example' })).toBe(1);
    expect(await fixture.refusal(IDA, OPERATION, { query: { $deltatoken: token } })).toBe('410 SyncStateNotFound');
    expect((await since((await first()).token)).rows).toEqual([]);
    expect(fixture.api.expireDeltaTokens({ email: 'nobody@fabrikam.example' })).toBe(0);
    expect(fixture.api.expireDeltaTokens({})).toBe(2 + 1);
  });

  it('a window longer than a view can be', async () => {
    const query = { ...DECEMBER, endDateTime: '2036-01-01T00:00:00Z' };
    expect(await fixture.refusal(IDA, OPERATION, { query })).toBe('400 ErrorInvalidRequest');
  });
});
