// 15 s: the largest feed that is taken, read and synced as a whole.
import { FaultServer, type Fault } from '../../support/fault-server.js';
import { FeedAccount, feedEvent, feedText } from './feed-account.js';

const EVENTS = 30_000;
/** Longest turn of the event loop, milliseconds of processor time, and the share of one reading of the feed that a slow machine may take. */
const MAX_TURN_MS = 50;
const MAX_TURN_SHARE = 1 / 10;
const DESCRIPTION = `DESCRIPTION:${'Lorem ipsum dolor sit amet. '.repeat(18)}`.replaceAll(/(.{74})/g, '$1\r\n ');

/** Processor time of this thread, milliseconds. It does not grow while other processes have the machine. */
function used(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** Measures the longest turn of the event loop and the whole work, milliseconds of processor time. */
async function measureMaxTick<T>(work: () => Promise<T>): Promise<{ result: T; maxMs: number; totalMs: number }> {
  let maxMs = 0;
  let isOver = false;
  const start = used();
  let before = start;
  const turn = () => {
    const now = used();
    maxMs = Math.max(maxMs, now - before);
    before = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  isOver = true;
  return { result, maxMs, totalMs: used() - start };
}

describe('a feed of 20 MB', () => {
  let server: FaultServer;
  let feed: FeedAccount;
  let changed = false;

  beforeAll(async () => {
    server = await FaultServer.start();
    const text = (title: string) =>
      feedText(
        Array.from({ length: EVENTS }, (_, n) => {
          const day = new Date(Date.UTC(2027, 0, 1) + (n % 365) * 86_400_000).toISOString().slice(0, 10);
          return feedEvent(
            `event-${n}@example.test`,
            n === 7 ? title : `Event ${n}`,
            `${day.replaceAll('-', '')}T090000Z`,
            DESCRIPTION,
          );
        }).flat(),
      );
    const [before, after] = [text('Old'), text('New')];
    expect(before.length).toBeGreaterThan(19 * 1024 * 1024);
    expect(before.length).toBeLessThan(20 * 1024 * 1024);
    const fault: Fault = (_request, response) => response.end(changed ? after : before);
    server.route('/large.ics', fault);
    feed = new FeedAccount(`${server.origin}/large.ics`, `127.0.0.1:${server.port}`);
  });

  afterAll(async () => {
    await feed.egress.close();
    await server.close();
  });

  it('never keeps others waiting for more than 50 ms or a tenth of one reading', async () => {
    const turns: Record<string, number> = {};
    // The first reading pays for what is compiled. The second says how fast this machine is.
    await feed.connect();
    const { totalMs } = await measureMaxTick(() => feed.connect());
    const limitMs = Math.max(MAX_TURN_MS, totalMs * MAX_TURN_SHARE);
    // A turn that a garbage collection or a busy machine made longer is not as long in every try.
    const measured = async <T>(name: string, work: () => Promise<T>, tries = 3): Promise<T> => {
      const { result, maxMs } = await measureMaxTick(work);
      turns[name] = Math.min(turns[name] ?? Infinity, Math.round(maxMs));
      return turns[name] > limitMs && tries > 1 ? measured(name, work, tries - 1) : result;
    };
    await measured('connect', () => feed.connect());
    const window = { startMs: Date.UTC(2027, 2, 1), endMs: Date.UTC(2027, 2, 8) };
    const week = await measured('window', () => feed.list({ window }));
    expect(week.items).toHaveLength(7 * 83);
    const { items, sync } = await measured('list', () => feed.list());
    expect(items).toHaveLength(EVENTS);
    changed = true;
    feed.pass(15);
    const page = await measured('changes', () => feed.list({}, sync));
    expect(page.items).toEqual([expect.objectContaining({ title: 'New' })]);
    await measured('nothing', () => feed.list({}, page.sync));
    const calendarIds = [feed.calendarId];
    await measured('busy', () =>
      feed.adapter.freeBusy(feed.connection(), { window, timeZone: 'UTC', calendarIds }, (error) => error),
    );
    expect(Object.entries(turns).filter(([, ms]) => ms > limitMs)).toEqual([]);
  });
});
