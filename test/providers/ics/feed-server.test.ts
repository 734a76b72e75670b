import { gzipSync } from 'node:zlib';
import { FaultServer, type Fault } from '../../support/fault-server.js';
import { answer, gzipBomb, redirect, reset, silence, wrongContentLength } from '../../support/faults.js';
import { FeedAccount, feedEvent, feedText } from './feed-account.js';

const PATH = '/secretpath/club.ics';

let server: FaultServer;
const open: FeedAccount[] = [];

beforeAll(async () => {
  server = await FaultServer.start();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ egress }) => egress.close()));
});
afterAll(() => server.close());

const one = feedEvent('one', 'One', '20270322T090000Z');
const two = feedEvent('two', 'Two', '20270323T090000Z');
const titles = (items: object[]) => items.map((item) => ('title' in item ? item.title : 'gone')).toSorted();

function account(...faults: [Fault, ...Fault[]]): FeedAccount {
  server.route(PATH, ...faults);
  server.requests.length = 0;
  const made = new FeedAccount(`${server.origin}${PATH}`, `127.0.0.1:${server.port}`);
  open.push(made);
  return made;
}

/** A server as they are: with tags, and 304 for whoever has the same. */
function tagged(text: () => string): Fault {
  return (request, response) => {
    const etag = `"${Buffer.from(text()).length}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304, { etag }).end();
    else response.writeHead(200, { etag, 'content-type': 'text/calendar' }).end(text());
  };
}

describe('a feed on a server', () => {
  it('is asked for once, then only if it has changed', async () => {
    let text = feedText(one);
    const feed = account(tagged(() => text));
    await feed.connect();
    const { items, sync } = await feed.list();
    expect(titles(items)).toEqual(['One']);
    expect(server.requests).toHaveLength(1);
    feed.pass(15);
    expect((await feed.list({}, sync)).items).toEqual([]);
    expect(server.requests.at(-1)?.headers).toMatchObject({ 'if-none-match': expect.stringMatching(/^"\d+"$/) });
    text = feedText(one, two);
    feed.pass(15);
    expect(titles((await feed.list({}, sync)).items)).toEqual(['Two']);
    expect(server.requests).toHaveLength(3);
  });

  it('is asked for once by many who need it at once, and goes on for the others when one of them leaves', async () => {
    const slow: Fault = (_request, response) => void setTimeout(() => response.end(feedText(one)), 200);
    const feed = account(answer(200, feedText(one)), slow);
    await feed.connect();
    feed.pass(15);
    const impatient = feed.connection(AbortSignal.timeout(20)).only();
    const others = [feed.list(), feed.list()];
    await expect(impatient).rejects.toThrow(expect.objectContaining({ code: 'ProviderTimeout' }));
    for (const { items } of await Promise.all(others)) expect(titles(items)).toEqual(['One']);
    expect(server.requests).toHaveLength(2);
  });

  it('may come compressed', async () => {
    const feed = account(answer(200, gzipSync(feedText(one)), { 'content-encoding': 'gzip' }));
    await feed.connect();
    expect(titles((await feed.list()).items)).toEqual(['One']);
  });

  it('may be somewhere else', async () => {
    const feed = account(redirect('/elsewhere', 302));
    server.route('/elsewhere', redirect(`${server.origin}/there.ics`, 301));
    server.route('/there.ics', answer(200, feedText(one)));
    await feed.connect();
    expect(titles((await feed.list()).items)).toEqual(['One']);
  });

  it.each<[string, Fault, string]>([
    [
      'of more than 20 MB',
      answer(200, gzipSync(Buffer.alloc(21 * 1024 * 1024, 'x')), { 'content-encoding': 'gzip' }),
      'ValidationFailed',
    ],
    ['of gigabytes in a thousandth of their size', gzipBomb(10_240), 'ValidationFailed'],
    [
      'that is a web page',
      answer(200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/calendar' }),
      'ValidationFailed',
    ],
    ['that ends half-way', answer(200, feedText(one, two).slice(0, -40)), 'ProviderUnavailable'],
    ['whose connection ends half-way', wrongContentLength(10_000, feedText(one)), 'ProviderUnavailable'],
    ['whose connection is lost', reset('in-body'), 'ProviderUnavailable'],
    [
      'that leads to an address of the network inside',
      redirect('http://169.254.169.254/latest', 302),
      'ServerNotAllowed',
    ],
    ['that leads to a loopback address that is not allowed', redirect('http://127.0.0.2/', 302), 'ServerNotAllowed'],
    ['that leads in a circle', redirect(PATH, 302), 'ProviderUnavailable'],
  ])('%s is not connected', async (_, fault, code) => {
    const feed = account(fault);
    const error: unknown = await feed.connect().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code });
    expect(JSON.stringify([error, String(error), (error as Error).message])).not.toContain('secretpath');
  });

  it.each<[string, Fault]>([
    ['ends half-way', answer(200, feedText(one, two).slice(0, -40))],
    ['loses its connection', reset('in-body')],
    ['is a web page', answer(200, '<html>')],
    ['leads inside', redirect('http://10.0.0.1/', 302)],
    ['fails', answer(500)],
  ])('that %s later is as it was', async (_, fault) => {
    const feed = account(answer(200, feedText(one, two)), fault);
    await feed.connect();
    const { items, sync } = await feed.list();
    feed.pass(15);
    const since = new Date(feed.nowMs).toISOString();
    expect((await feed.list({}, sync)).items).toEqual([]);
    expect((await feed.list()).items).toEqual(items);
    expect(feed.state).toMatchObject({ staleSince: since });
  });

  it.each([
    ['15 minutes later', 15],
    ['although the clock was set back', -600],
  ])('is downloaded again %s', async (_, minutes) => {
    const feed = account(answer(200, feedText(one)), answer(200, feedText(one, two)));
    await feed.connect();
    expect((await feed.list()).items).toHaveLength(1);
    feed.pass(minutes);
    expect((await feed.list()).items).toHaveLength(2);
  });

  it('that says nothing is waited for by nobody longer than they want', async () => {
    const feed = account(answer(200, feedText(one)), silence());
    await feed.connect();
    feed.pass(15);
    await expect(feed.connection(AbortSignal.timeout(50)).only()).rejects.toThrow(
      expect.objectContaining({ code: 'ProviderTimeout' }),
    );
  });
});
