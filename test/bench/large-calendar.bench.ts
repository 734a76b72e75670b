/** Memory while a calendar of 10,000 events is listed page by page: bounded by the page, not by the calendar. */
import { WHOLE_CALENDAR, type AccountSession } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import { GuardedEgress } from '#egress';
import { createCalDavProvider } from '#providers/caldav';
import { CountedPermits, MemoryPrivateProperties, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { startProgram, printed } from './programs.js';

const EVENT_BYTES = 8_000;
const PAGE_SIZE = 400;

/** Live bytes above the start, at their highest after any page, and what was read. */
async function listCalendar(size: number): Promise<{ liveBytes: number; events: number; seconds: number }> {
  const server = startProgram('fake-server.ts', [String(size), String(EVENT_BYTES)]);
  const { url, allow, login } = await printed<{
    url: string;
    allow: string;
    login: { username: string; password: string };
  }>(server);
  const egress = new GuardedEgress({ allow });
  try {
    const provider = createCalDavProvider({
      egress,
      budget: new UnlimitedRate(),
      slots: new CountedPermits(),
      privateProperties: new MemoryPrivateProperties(),
      snapshots: new MemorySnapshots(),
      unreadable: { report: ({ href }: { href: string }) => console.error(`cannot read ${href}`) },
      requestsPerMinute: 1_000_000,
      nowMs: () => Date.now(),
    });
    const signal = AbortSignal.timeout(600_000);
    const credentials = { kind: 'password' as const, password: login.password };
    const connect = { applicationId: 'app', email: login.username, serverUrl: url, credentials, signal };
    const { serverUrl, providerState } = await provider.connect(connect);
    const session: AccountSession = {
      ...{
        applicationId: 'app',
        accountId: 'account',
        email: login.username,
        serverUrl,
        credentials,
        providerState,
        signal,
      },
      saveProviderState: async () => undefined,
    };
    const [calendar] = (await provider.listCalendars(session, { pageSize: 10, page: null, sync: null })).items;
    const live = () => {
      globalThis.gc!();
      return process.memoryUsage().heapUsed + process.memoryUsage().external;
    };
    const before = live();
    const startedAt = performance.now();
    let liveBytes = 0;
    let events = 0;
    let page: JsonValue | null = null;
    do {
      const response = await provider.listEvents(session, calendar!.id, {
        query: WHOLE_CALENDAR,
        pageSize: PAGE_SIZE,
        page,
        sync: null,
      });
      events += response.items.length;
      page = response.nextPage;
      liveBytes = Math.max(liveBytes, live() - before);
    } while (page !== null);
    return { liveBytes, events, seconds: (performance.now() - startedAt) / 1000 };
  } finally {
    await egress.close();
    server.kill();
  }
}

await listCalendar(PAGE_SIZE); // warm-up: code and caches count for nobody
const small = await listCalendar(1_000);
const large = await listCalendar(10_000);
if (small.events !== 1_000 || large.events !== 10_000) throw new Error('events are missing');
const megabytes = (bytes: number) => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
console.log(
  JSON.stringify([
    {
      name: 'Live memory while listing 10,000 events of 8 KB in pages of 400, against the size of the calendar',
      ratio: large.liveBytes / (10_000 * EVENT_BYTES),
      limit: 0.25,
      sense: 'at most',
      detail: `${megabytes(large.liveBytes)} of ${megabytes(10_000 * EVENT_BYTES)}; 1,000 events: ${megabytes(small.liveBytes)}`,
    },
    {
      name: 'Time to list 10,000 events page by page, against ten times that of 1,000',
      ratio: large.seconds / (10 * small.seconds),
      limit: 1.5,
      sense: 'at most',
      detail: `${large.seconds.toFixed(1)} s against ${small.seconds.toFixed(1)} s`,
    },
  ]),
);
process.exit();
