// 60 s: the whole service starts four times.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Visitor } from '../../sandbox/visitor.js';
import { Browser } from '../../support/browser.js';
import { ops, prepareStack, type TestStack } from '../../support/stack.js';
import { callService, type Answer, type CallOptions } from '../../support/service.js';

const ADA = 'ada@example.com';

describe('a second npm start', () => {
  let stack: TestStack;
  beforeAll(async () => {
    stack = await prepareStack();
  });
  afterAll(() => stack.remove());

  /** As a person does it: the link of the welcome, the pages of the sandbox, and back. */
  async function visit(signInOptions: string): Promise<{ sandbox: URL; home: URL }> {
    const link = /http:\S+\/oauth\/authorize\/\S+\/google/.exec(signInOptions)?.[0] ?? '';
    const browser = new Browser();
    const { location } = await browser.visit(link);
    const sandbox = new URL(location!);
    const back = await new Visitor(sandbox.origin).signIn(location!, ADA);
    return { sandbox, home: new URL((await browser.visit(back.url)).location!) };
  }

  async function signIn(signInOptions: string): Promise<string> {
    return (await visit(signInOptions)).home.searchParams.get('endUserAccountId')!;
  }

  it('finds connected accounts, their events and their sync tokens as they were', async () => {
    const first = await stack.start();
    const accountId = await signIn(first.stdout());
    const call = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
      callService(stack.baseUrl, first.apiKey!, method, path, options);
    const { body: calendars } = await call('GET', `/v1/calendars/${accountId}`);
    const { id: calendarId } = calendars.data.find(({ isPrimary }: { isPrimary: boolean }) => isPrimary);
    const events = `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    const event = (title: string, day: number) => ({
      body: {
        title,
        start: { dateTime: `2027-03-0${day}T10:00:00`, timeZone: 'Europe/London' },
        end: { dateTime: `2027-03-0${day}T11:00:00`, timeZone: 'Europe/London' },
      },
    });
    const created = await call('POST', events, event('Before', 1));
    expect(created.status).toBe(200);
    const before = await call('GET', events);
    expect(before.body.nextSyncToken).toEqual(expect.any(String));
    expect(await first.stop(50_000)).toBe(0);

    await stack.start();
    expect((await call('GET', `/v1/endUserAccounts/${accountId}`)).body).toMatchObject({
      email: ADA,
      status: 'ACTIVE',
    });
    const after = await call('GET', events);
    expect([after.status, after.body.data]).toEqual([200, before.body.data]);
    expect((await call('POST', events, event('After', 2))).status).toBe(200);
    const changes = await call('GET', events, { query: { syncToken: before.body.nextSyncToken } });
    expect(changes.body.data).toEqual([expect.objectContaining({ title: 'After' })]);
  });

  it('leads users back to the page of the sandbox when its ports are taken meanwhile', async () => {
    const own = await prepareStack();
    const others: Server[] = [];
    try {
      const first = await own.start();
      const before = await visit(first.stdout());
      expect(await first.stop(50_000)).toBe(0);
      for (const { port } of [before.sandbox, before.home]) {
        const other = createServer((_, response) => response.end('another program'));
        others.push(other.listen(Number(port), '127.0.0.1'));
        await once(other, 'listening');
      }
      const second = await own.start();
      const { sandbox, home } = await visit(second.stdout());
      expect([sandbox.port, home.port]).not.toEqual([before.sandbox.port, before.home.port]);
      expect(await (await fetch(home)).text()).toContain('Account connected');
      const applicationId = /Application (\S+) \(demo\)/.exec(second.stdout())![1]!;
      const listed = await ops(own.env, 'redirect-url', 'list', '--application', applicationId, '--json');
      expect(listed.json()).toMatchObject({ data: [{ url: `${home.origin}/connected` }] });
    } finally {
      for (const other of others) other.close();
      await own.remove();
    }
  });
});
