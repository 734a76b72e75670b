import fc from 'fast-check';
import { isFullEvent, type EventInput } from '#domain/events';
import { WHOLE_CALENDAR, type EditOptions, type EventQuery } from '#domain/providers';
import { EVENTS as events } from '../adapter.js';
import { GraphApiError } from '../errors.js';
import { SmallGraph } from '../testing/small-graph.js';

const MARCH: EventQuery = {
  ...WHOLE_CALENDAR,
  window: { startMs: Date.UTC(2027, 2, 1), endMs: Date.UTC(2027, 3, 15) },
  expandRecurrences: true,
};
const at = (day: number, hour: number) => ({ start: wall(day, hour), end: wall(day, hour + 1) });
const wall = (day: number, hour: number) => ({
  kind: 'dateTime' as const,
  local: new Date(Date.UTC(2027, 2, day, hour)).toISOString().slice(0, 19),
  offsetMinutes: null,
  timeZone: 'Europe/Berlin',
});

class Crash extends Error {}

/** A daily series with changed and deleted instances on both sides of the 15th. */
async function opened() {
  const graph = new SmallGraph();
  const { connection } = graph;
  const update = (id: string, input: EventInput, options: EditOptions = {}) =>
    events.update(connection, 'work', id, input, options);
  const remove = (id: string, options: EditOptions = {}) => events.delete(connection, 'work', id, options);
  const { event } = await events.create(
    connection,
    'work',
    { title: 'Daily', ...at(8, 9), recurrence: ['FREQ=DAILY;COUNT=12'] },
    {},
  );
  const { id } = event;
  await update(`${id}_20270310T080000Z`, { title: 'Special' });
  await update(`${id}_20270311T080000Z`, at(11, 15));
  await remove(`${id}_20270312T080000Z`);
  await update(`${id}_20270317T080000Z`, { title: 'Late', ...at(17, 16) });
  await remove(`${id}_20270318T080000Z`);
  return {
    graph,
    id,
    update,
    remove,
    async shown() {
      const list = { query: MARCH, pageSize: 100, page: null, sync: null };
      const { items } = await events.list(connection, 'work', list);
      return items
        .filter(isFullEvent)
        .map(
          ({ start, title, location }) => `${start.kind === 'dateTime' ? start.local : ''} ${title} ${location ?? ''}`,
        )
        .sort();
    },
  };
}

type Opened = Awaited<ReturnType<typeof opened>>;

const EDITS: [string, (g: Opened) => Promise<unknown>][] = [
  [
    'a series that goes on otherwise',
    ({ update, id }) =>
      update(`${id}_20270315T080000Z`, { title: 'Half', location: 'New', ...at(15, 11) }, { scope: 'following' }),
  ],
  ['a series that ends early', ({ remove, id }) => remove(`${id}_20270315T080000Z`, { scope: 'following' })],
  ['a series at another time', ({ update, id }) => update(id, at(8, 12))],
  ['a shorter series', ({ update, id }) => update(id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=7'] })],
];

/** Everything is lost from the write of that number on, the one that is next. @returns how to begin anew */
function dieBefore({ graph }: Opened, write: number): () => void {
  let writes = 0;
  graph.before = () => {
    if ((writes += 1) > write) throw new Crash();
  };
  return () => (graph.before = null);
}

/** Everything is lost that comes after the series itself was written. */
function dieOnceWritten({ graph, id }: Opened): () => void {
  let isWritten = false;
  graph.before = ({ path }) => {
    if (isWritten) throw new Crash();
    isWritten = path.endsWith(`/${encodeURIComponent(id)}`);
  };
  return () => (graph.before = null);
}

describe('an edit that dies between two writes', () => {
  it.each(EDITS)('loses and doubles nothing once it is repeated: %s', async (_name, edit) => {
    const undisturbed = await opened();
    await edit(undisturbed);
    const expected = await undisturbed.shown();
    let isThrough = false;
    let dead = 0;
    for (; !isThrough; dead += 1) {
      const g = await opened();
      const begin = dieBefore(g, dead);
      isThrough = await edit(g).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Crash) return false;
          throw error;
        },
      );
      begin();
      // What is certain to be over answers so; what was done of it is finished all the same.
      if (!isThrough) await edit(g).catch((error: unknown) => expect(error).toMatchObject({ code: 'NotFound' }));
      expect({ dead, shown: await g.shown() }).toEqual({ dead, shown: expected });
    }
    expect(dead > 3).toBe(true);
  });

  it('loses and doubles nothing when it is asked three times at once', async () => {
    const [, split] = EDITS[0]!;
    const undisturbed = await opened();
    await split(undisturbed);
    const expected = await undisturbed.shown();
    const random = fc.sample(fc.infiniteStream(fc.constantFrom(0, 0, 1, 2, 40)), { seed: 7, numRuns: 1 })[0]!;
    for (let round = 0; round < 60; round += 1) {
      const g = await opened();
      const { connection } = g.graph;
      const call = connection.call.bind(connection);
      connection.call = async (...request) => {
        for (let turns = random.next().value; turns > 0; turns -= 1) await new Promise(setImmediate);
        return call(...request);
      };
      const answers = await Promise.allSettled([split(g), split(g), split(g)]);
      expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true);
      expect({ round, shown: await g.shown() }).toEqual({ round, shown: expected });
    }
  });

  it('answers a repeat with the series that it had made', async () => {
    const g = await opened();
    const [, split] = EDITS[0] ?? [];
    const begin = dieOnceWritten(g);
    await expect(split?.(g)).rejects.toThrow(Crash);
    begin();
    const response = (await split?.(g)) as { event: { id: string; title: string }; ignoredFields: string[] };
    expect(response.event).toMatchObject({ title: 'Half', location: 'New' });
    expect([...g.graph.events.keys()]).toEqual([g.id, response.event.id]);
    expect(response.ignoredFields).toEqual([]);
  });

  it('is finished by the next edit, whatever that is', async () => {
    const g = await opened();
    const [, move] = EDITS[2] ?? [];
    const begin = dieOnceWritten(g);
    await expect(move?.(g)).rejects.toThrow(Crash);
    begin();
    await g.update(g.id, { location: 'Hall' });
    const shown = await g.shown();
    expect(shown).toHaveLength(10);
    expect(shown).toContain('2027-03-10T12:00:00 Special ');
    expect(shown).toContain('2027-03-11T18:00:00 Daily ');
    expect(JSON.stringify(g.graph.events.get(g.id))).not.toContain('excluded');
  });

  it('leaves out the times of an instance that Outlook never takes, and the series can be changed again', async () => {
    const g = await opened();
    const [, move] = EDITS[2] ?? [];
    const crossing = new GraphApiError(400, 'ErrorOccurrenceCrossingBoundary', '', null);
    g.graph.before = ({ path, body }) => {
      if (!path.endsWith(encodeURIComponent(g.id)) && JSON.stringify(body)?.includes('T20:00')) throw crossing;
    };
    await move?.(g);
    const shown = await g.shown();
    expect(shown).toHaveLength(10);
    expect(shown).toContain('2027-03-11T18:00:00 Daily ');
    expect(shown).toContain('2027-03-17T12:00:00 Late ');
    await g.update(g.id, { location: 'Hall' });
    expect(JSON.stringify(g.graph.events.get(g.id))).not.toContain('excluded');
  });

  it('says why it leaves out all of an instance, ends its work, and makes no second series', async () => {
    const g = await opened();
    const [[, split] = [], , [, move] = []] = EDITS;
    const refusal = new GraphApiError(400, 'ErrorPropertyValidation', '', null);
    g.graph.before = ({ path, body }) => {
      if (!path.endsWith(encodeURIComponent(g.id)) && (body as { subject?: string } | null)?.subject === 'Late') {
        throw refusal;
      }
    };
    const before = await g.shown();
    await expect(split?.(g)).rejects.toBe(refusal);
    expect(await g.shown()).toEqual(before);
    await expect(move?.(g)).rejects.toBe(refusal);
    await g.update(g.id, { location: 'Hall' });
    const shown = await g.shown();
    expect(shown).toContain('2027-03-11T18:00:00 Daily ');
    expect(shown).toContain('2027-03-17T12:00:00 Daily Hall');
    expect(shown).toHaveLength(10);
  });

  it('is not taken from what somebody else wrote into an invitation', async () => {
    const g = await opened();
    const [, move] = EDITS[2] ?? [];
    const begin = dieOnceWritten(g);
    await expect(move?.(g)).rejects.toThrow(Crash);
    begin();
    const stored = g.graph.events.get(g.id);
    if (stored !== undefined) stored.isOrganizer = false;
    await g.update(g.id, { location: 'Hall' });
    expect((await g.shown()).filter((line) => line.includes('Special'))).toEqual([]);
  });
});

describe('a write whose answer was lost', () => {
  const overtaken = new GraphApiError(412, 'ErrorIrresolvableConflict', '', null);

  it('counts as done when the repeat finds its own mark', async () => {
    const g = await opened();
    const { event } = await g.update(g.id, { title: 'Once' });
    g.graph.fault = { method: 'PATCH', path: /events/, fault: overtaken, isDone: true };
    const ifMatch = event.etag ?? '';
    expect((await g.update(g.id, { title: 'Twice' }, { ifMatch })).event.title).toBe('Twice');
  });

  it('ends a series once, and keeps what goes on from there', async () => {
    const g = await opened();
    const [, split] = EDITS[0] ?? [];
    const whole = await opened();
    await split?.(whole);
    const path = new RegExp(`${encodeURIComponent(g.id)}$`);
    g.graph.fault = { method: 'PATCH', path, fault: overtaken, isDone: true };
    await split?.(g);
    expect(await g.shown()).toEqual(await whole.shown());
  });

  it('begins anew without the half that it made when somebody else was first', async () => {
    const g = await opened();
    const [, split] = EDITS[0] ?? [];
    let isOthersTurn = true;
    g.graph.before = ({ method, path }) => {
      const stored = g.graph.events.get(g.id);
      const isLast = method === 'PATCH' && path.endsWith(encodeURIComponent(g.id));
      if (!isOthersTurn || !isLast || stored === undefined) return;
      isOthersTurn = false;
      g.graph.events.set(g.id, { ...stored, location: { displayName: 'Theirs' }, version: 9_999 });
    };
    await split?.(g);
    expect(g.graph.events.size).toBe(2);
    const shown = await g.shown();
    expect(shown).toContain('2027-03-14T09:00:00 Daily Theirs');
    expect(shown).toContain('2027-03-16T11:00:00 Half New');
    expect(shown).toHaveLength(10);
  });

  it('of a refusal to come counts as done, though the invitation is gone by then', async () => {
    const graph = new SmallGraph();
    const time = (hour: string) => ({ dateTime: `2027-03-22T${hour}:00:00`, timeZone: 'UTC' });
    const id = graph.seed({ start: time('08'), end: time('09'), isOrganizer: false });
    const gone = new GraphApiError(404, 'ErrorItemNotFound', '', null);
    graph.fault = { method: 'POST', path: /decline$/, fault: gone };
    await events.respond(graph.connection, 'work', id, 'declined', {});
    graph.fault = { method: 'POST', path: /accept$/, fault: gone };
    await expect(events.respond(graph.connection, 'work', id, 'accepted', {})).rejects.toMatchObject({
      code: 'NotFound',
    });
  });
});
