import { calendarIdOfPath } from '../../../libs/providers/caldav/ids.js';
import { CalDavBench, failure } from '../../support/caldav-account.js';
import { FakeCalDav, type FakeCalDavOptions } from '../../support/fake-caldav.js';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function start(options: FakeCalDavOptions = {}) {
  const fake = await FakeCalDav.start(options);
  const calendar = fake.addCalendar('work', 'Work');
  const bench = new CalDavBench(fake);
  open.push(fake, bench);
  const connected = await bench.connect();
  fake.requests.length = 0;
  return { fake, bench, calendar, connected, id: calendarIdOfPath(calendar.path) };
}

describe('a connection', () => {
  it('costs no request to open, and one list of calendars in ten minutes for all calls', async () => {
    const { fake, bench, connected, id } = await start();
    for (let call = 0; call < 3; call += 1) {
      const connection = await bench.open(bench.session(connected));
      await connection.collection(id);
    }
    expect(fake.requests).toHaveLength(1);
    bench.skewMs = 601_000;
    await (await bench.open(bench.session(connected))).collection(id);
    expect(fake.requests).toHaveLength(2);
  });

  it('shares nothing with other credentials or another account', async () => {
    const { fake, bench, connected, id } = await start();
    await (await bench.open(bench.session(connected))).collection(id);
    await (await bench.open(bench.session(connected, { accountId: 'other' }))).collection(id);
    const wrong = bench.session(connected, { credentials: { kind: 'password', password: 'wrong' } });
    expect((await failure((await bench.open(wrong)).collection(id))).code).toBe('CredentialsRejected');
    expect(fake.requestsOf('PROPFIND').length).toBeGreaterThanOrEqual(3);
  });

  it('finds a calendar that was made a moment ago', async () => {
    const { fake, bench, connected, id } = await start();
    const connection = await bench.open(bench.session(connected));
    await connection.collection(id);
    const made = fake.addCalendar('new', 'New');
    expect(await connection.collection(calendarIdOfPath(made.path))).toMatchObject({ displayName: 'New' });
    expect((await failure(connection.collection(calendarIdOfPath('/calendars/alice/none/')))).code).toBe('NotFound');
  });

  it.each([
    ['nothing', null],
    ['another version', { version: 2 }],
    ['another shape', { version: 1, origin: 5 }],
    [
      'hrefs of another origin',
      {
        version: 1,
        origin: 'ORIGIN',
        principalHref: null,
        homeHrefs: ['https://evil.test/'],
        collectionHref: null,
        addresses: [],
        addressUris: [],
        dav: [],
        discoveredAt: '2026-01-01T00:00:00Z',
      },
    ],
    [
      'an origin that may not have the password',
      {
        version: 1,
        origin: 'http://127.0.0.2:1',
        principalHref: null,
        homeHrefs: ['/x/'],
        collectionHref: null,
        addresses: [],
        addressUris: [],
        dav: [],
        discoveredAt: '2026-01-01T00:00:00Z',
      },
    ],
  ])('discovers again when what is stored is %s', async (_name, state) => {
    const { fake, bench, connected } = await start();
    const providerState =
      state === null
        ? null
        : { ...state, ...('origin' in state && state.origin === 'ORIGIN' && { origin: fake.homeOrigin }) };
    const connection = await bench.open(bench.session({ ...connected, providerState: providerState as never }));
    expect(connection.account.homeHrefs).toEqual([fake.homePath]);
    expect(bench.saved).toEqual([expect.objectContaining({ version: 1, homeHrefs: [fake.homePath] })]);
  });

  it.each([404, 410, 421])('discovers again, once, when the home answers %i', async (status) => {
    const { fake, bench, connected, id } = await start();
    const moved = { ...connected, providerState: { ...connected.providerState, homeHrefs: ['/old/home/'] } };
    fake.switches.intercept = ({ path }) => (path === '/old/home/' ? { status } : undefined);
    const connection = await bench.open(bench.session(moved));
    expect(await connection.collection(id)).toMatchObject({ displayName: 'Work' });
    expect(bench.saved).toEqual([expect.objectContaining({ homeHrefs: [fake.homePath] })]);
    expect(connection.account.homeHrefs).toEqual([fake.homePath]);
  });

  it('follows an account that moved to another partition host', async () => {
    const { fake, bench, connected, id } = await start({ partition: true });
    const old = await FakeCalDav.start({ intercept: () => ({ status: 421 }) });
    open.push(old);
    const movingBench = new CalDavBench(fake, bench.flavor, `${fake.egressAllow},${old.egressAllow}`);
    open.push(movingBench);
    const stale = { ...connected, providerState: { ...connected.providerState, origin: old.homeOrigin } };
    const connection = await movingBench.open(movingBench.session(stale));
    expect(await connection.collection(id)).toMatchObject({ displayName: 'Work' });
    expect(connection.account.origin).toBe(fake.homeOrigin);
    await connection.client.get('/x');
    expect(fake.requests.at(-1)?.authority).toBe(fake.authorities[1]);
  });

  it('discovers again once a day, and goes on when that fails', async () => {
    const { fake, bench, connected, id } = await start();
    bench.skewMs = 25 * 3_600_000;
    await (await bench.open(bench.session(connected))).collection(id);
    expect(bench.saved).toHaveLength(1);
    fake.switches.intercept = ({ path }) => (path === fake.homePath ? undefined : { status: 500 });
    bench.connections.shared(bench.session(connected), () => {
      throw new Error('is there');
    }).collections = null;
    expect(await (await bench.open(bench.session(connected))).collection(id)).toMatchObject({ displayName: 'Work' });
    expect(bench.saved).toHaveLength(1);
  });

  it('is ProviderUnavailable when the home is gone for good', async () => {
    const { fake, bench, connected, id } = await start();
    const connection = await bench.open(bench.session(connected));
    fake.switches.intercept = ({ path, headers }) =>
      path === fake.homePath && headers.depth === '1' ? { status: 404 } : undefined;
    expect((await failure(connection.collection(id))).code).toBe('ProviderUnavailable');
  });

  it('sends no more at a time than the flavor says', async () => {
    const { fake, bench, connected } = await start();
    let running = 0;
    let most = 0;
    const { client } = await bench.open(bench.session(connected));
    const original = bench.egress.stream.bind(bench.egress);
    bench.egress.stream = async (request) => {
      running += 1;
      most = Math.max(most, running);
      const response = await original(request);
      return {
        ...response,
        chunks: (async function* () {
          try {
            yield* response.chunks;
          } finally {
            running -= 1;
          }
        })(),
      };
    };
    await Promise.all(Array.from({ length: 12 }, () => client.propfind(fake.homePath, '0', ['{DAV:}resourcetype'])));
    expect(most).toBe(4);
    expect(running).toBe(0);
  });
});
