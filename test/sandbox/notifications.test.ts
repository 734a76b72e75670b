import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '../support/processes.js';
import { FULL_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';

const CLIENT = { clientId: 'cid-1', clientSecret: 'secret-1', redirectUris: ['http://127.0.0.1:9/callback'] };
const ADA = 'ada@example.com';

interface Message {
  method: string;
  headers: IncomingHttpHeaders;
  body: string;
}

describe('channel messages of the sandbox', () => {
  let sandbox: Sandbox;
  let receiver: Server;
  let messages: Message[];
  let responses: number[];

  beforeAll(async () => {
    sandbox = await startSandbox();
    receiver = createServer((request, response) => {
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        messages.push({ method: request.method ?? '', headers: request.headers, body });
        response.writeHead(responses.shift() ?? 204).end();
      });
    });
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  });

  beforeEach(async () => {
    messages = [];
    responses = [];
    await sandbox.reset();
    await sandbox.addClient(CLIENT);
    await sandbox.addUser({ email: ADA });
  });

  afterAll(async () => {
    await sandbox?.stop();
    receiver?.close();
  });

  const watch = (id: string) =>
    sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.watch', path: { calendarId: ADA } },
      body: {
        ...{ id, type: 'web_hook', token: 'channel-secret' },
        address: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`,
      },
    });
  const change = () =>
    sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.insert', path: { calendarId: 'primary' } },
      body: { start: { date: '2026-12-07' }, end: { date: '2026-12-08' } },
    });
  const received = (count: number) =>
    eventually(`${count} messages`, () => (messages.length >= count ? messages : undefined));
  const states = () => messages.map(({ headers }) => headers['x-goog-resource-state']);

  it('F24 F25 are what Google sends: no body, and the channel in the headers', async () => {
    const { body: channel } = await watch('channel-1');
    await received(1);
    await change();
    const [sync, exists] = await received(2);
    for (const message of [sync, exists]) {
      expect(message).toMatchObject({
        method: 'POST',
        body: '',
        headers: {
          'content-length': '0',
          'user-agent': expect.stringContaining('APIs-Google'),
          'x-goog-channel-id': 'channel-1',
          'x-goog-channel-token': 'channel-secret',
          'x-goog-resource-id': channel.resourceId,
          'x-goog-resource-uri': channel.resourceUri,
        },
      });
    }
    expect(sync?.headers).toMatchObject({ 'x-goog-resource-state': 'sync', 'x-goog-message-number': '1' });
    expect(exists?.headers['x-goog-resource-state']).toBe('exists');
    expect(Number(exists?.headers['x-goog-message-number'])).toBeGreaterThan(1);
  });

  it('are sent for what a client changes through the API too', async () => {
    await watch('channel-2');
    const { accessToken } = await sandbox.grant(ADA, CLIENT.clientId, FULL_SCOPES);
    await fetch(`${sandbox.googleUrl}/calendar/v3/calendars/primary/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ start: { date: '2026-12-07' }, end: { date: '2026-12-08' } }),
    });
    await received(2);
    expect(states()).toEqual(['sync', 'exists']);
  });

  it('come again after 503, and not after another refusal', async () => {
    responses = [503, 500, 400];
    await watch('channel-3');
    await received(3);
    await change();
    await received(4);
    expect(states()).toEqual(['sync', 'sync', 'sync', 'exists']);
  });

  it('F30 are lost, one in so many or all', async () => {
    await watch('channel-4');
    await received(1);
    await sandbox.notifications({ mode: 'drop', everyNth: 2 });
    for (let count = 0; count < 4; count += 1) await change();
    await received(3);
    await sandbox.notifications({ mode: 'drop' });
    await change();
    await sandbox.notifications({ mode: 'deliver' });
    await change();
    await received(4);
    const numbers = messages.map(({ headers }) => Number(headers['x-goog-message-number']));
    expect(numbers).toHaveLength(4);
    expect(new Set(numbers).size).toBe(4);
  });

  it('come twice, and late', async () => {
    await watch('channel-5');
    await received(1);
    await sandbox.notifications({ mode: 'duplicate', delayMs: 200 });
    const began = performance.now();
    await change();
    const [, first, second] = await received(3);
    expect(performance.now() - began).toBeGreaterThanOrEqual(100);
    expect(second?.headers['x-goog-message-number']).toBe(first?.headers['x-goog-message-number']);
  });

  it('end with a channel that was dropped, of which nobody is told', async () => {
    await watch('channel-6');
    await received(1);
    await sandbox.dropChannel('channel-6');
    await change();
    await watch('channel-7');
    await received(2);
    expect(messages.map(({ headers }) => headers['x-goog-channel-id'])).toEqual(['channel-6', 'channel-7']);
  });

  it('go to this machine alone', async () => {
    const { status } = await sandbox.act({
      ...{ email: ADA, methodId: 'calendar.events.watch', path: { calendarId: ADA } },
      body: { id: 'channel-8', type: 'web_hook', address: 'https://10.0.0.1/hook' },
    });
    expect(status).toBe(200);
    await eventually(
      'the refusal',
      () => sandbox.program.stderr().includes('https://10.0.0.1/hook: The address is not allowed') || undefined,
    );
  });
});
