import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_CLIENTS } from '../../apps/sandbox/src/demo-clients.js';
import { eventually, freePort, temporaryDirectory } from '../support/processes.js';
import { FULL_SCOPES, startSandbox, type Sandbox } from '../support/sandbox.js';
import { Visitor } from './visitor.js';

const REDIRECT_URI = 'http://127.0.0.1:9/callback';
const CLIENT = { clientId: 'cid-1.apps.sandbox', clientSecret: 'secret-1' };
const ADA = 'ada@example.com';
const DAY_MS = 86_400_000;

describe('the sandbox with a state file', () => {
  let directory: { path: string; remove(): Promise<void> };
  let stateFile: string;
  let sandbox: Sandbox | undefined;

  beforeEach(async () => {
    directory = await temporaryDirectory('sandbox');
    stateFile = join(directory.path, 'sandbox.json');
  });
  afterEach(async () => {
    await sandbox?.stop();
    sandbox = undefined;
    await directory.remove();
  });

  /** Ends the one that runs, and starts the next on the same file. */
  async function restart(settings: NodeJS.ProcessEnv = {}): Promise<Sandbox> {
    if (sandbox !== undefined) expect(await sandbox.program.stop()).toBe(0);
    sandbox = await startSandbox({ SANDBOX_STATE_FILE: stateFile, ...settings });
    return sandbox;
  }

  async function kill({ program }: Sandbox): Promise<void> {
    program.child.kill('SIGKILL');
    await program.exited;
    sandbox = undefined;
  }

  /** What the file says. */
  const saved = async (): Promise<string> => readFile(stateFile, 'utf8');

  const token = async (google: Sandbox, form: Record<string, string>): Promise<{ status: number; body: any }> => {
    const { clientId, clientSecret } = CLIENT;
    const response = await fetch(`${google.googleUrl}/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...form }),
    });
    return { status: response.status, body: await response.json() };
  };

  const api = async (google: Sandbox, accessToken: string, path: string, init: RequestInit = {}): Promise<any> => {
    const response = await fetch(`${google.googleUrl}/calendar/v3${path}`, {
      ...init,
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    });
    expect(response.status).toBe(200);
    return response.json();
  };

  const authorizeUrl = (google: Sandbox, parameters: Record<string, string> = {}): string => {
    const url = new URL('/o/oauth2/v2/auth', google.googleUrl);
    const all = {
      ...{ client_id: CLIENT.clientId, redirect_uri: REDIRECT_URI, response_type: 'code', state: 's' },
      ...{ scope: FULL_SCOPES.join(' '), access_type: 'offline', ...parameters },
    };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    return url.href;
  };

  const signIn = async (google: Sandbox): Promise<any> => {
    const back = await new Visitor(google.googleUrl).signIn(authorizeUrl(google), ADA);
    const code = back.url.searchParams.get('code') ?? '';
    const { status, body } = await token(google, {
      ...{ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI },
    });
    expect(status).toBe(200);
    return body;
  };

  const refresh = (google: Sandbox, refreshToken: string): Promise<{ status: number; body: any }> =>
    token(google, { grant_type: 'refresh_token', refresh_token: refreshToken });

  const event = (summary: string, day: number): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({
      summary,
      start: { dateTime: `2026-12-0${day}T09:00:00Z`, timeZone: 'Europe/London' },
      end: { dateTime: `2026-12-0${day}T10:00:00Z`, timeZone: 'Europe/London' },
      ...(summary === 'Series' && { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] }),
    }),
  });
  const EVENTS = '/calendars/primary/events';
  const revisionOf = ({ etag }: { etag: string }): number => Number(JSON.parse(etag));

  it('goes on with a whole life: user, consent, tokens, events, series, sync', async () => {
    let google = await restart();
    await google.addClient({ ...CLIENT, redirectUris: [REDIRECT_URI] });
    await google.addUser({ email: ADA, sub: '108000000000000000001', name: 'Ada Byron', timeZone: 'Europe/London' });
    const tokens = await signIn(google);
    await api(google, tokens.access_token, EVENTS, event('Once', 1));
    const series = await api(google, tokens.access_token, EVENTS, event('Series', 2));
    const { items } = await api(google, tokens.access_token, `${EVENTS}/${series.id}/instances`);
    const patch = { method: 'PATCH', body: JSON.stringify({ summary: 'Moved' }) };
    await api(google, tokens.access_token, `${EVENTS}/${items[1].id}`, patch);
    const before = await api(google, tokens.access_token, EVENTS);
    const certs = await (await fetch(`${google.googleUrl}/oauth2/v3/certs`)).json();

    google = await restart();
    const during = await api(google, tokens.access_token, EVENTS);
    expect(during.items).toEqual(before.items);
    await api(google, tokens.access_token, EVENTS, event('Later', 8));
    const query = new URLSearchParams({ syncToken: before.nextSyncToken }).toString();
    const changes = await api(google, tokens.access_token, `${EVENTS}?${query}`);
    expect(changes.items).toEqual([expect.objectContaining({ summary: 'Later' })]);
    expect(await (await fetch(`${google.googleUrl}/oauth2/v3/certs`)).json()).toEqual(certs);

    google = await restart();
    const refreshed = await refresh(google, tokens.refresh_token);
    expect(refreshed.status).toBe(200);
    const after = await api(google, refreshed.body.access_token, EVENTS);
    expect(after.items.map(({ summary }: { summary: string }) => summary).sort()).toEqual(
      ['Later', 'Moved', 'Once', 'Series'].sort(),
    );
    expect(await google.users()).toMatchObject([{ email: ADA, sub: '108000000000000000001' }]);
    await google.expectNoViolations();
  });

  it('forgets what was under way and what was to go wrong', async () => {
    let google = await restart();
    await google.addClient({ ...CLIENT, redirectUris: [REDIRECT_URI] });
    await google.addUser({ email: ADA });
    const back = await new Visitor(google.googleUrl).signIn(authorizeUrl(google), ADA);
    await google.fault({ kind: 'token' }, { type: 'status', status: 503 });
    await fetch(`${google.googleUrl}/nothing`);

    google = await restart();
    expect(await google.faults()).toEqual([]);
    expect(await google.violations()).toEqual([]);
    expect(await google.requests()).toEqual([]);
    const code = back.url.searchParams.get('code') ?? '';
    const exchange = { grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI };
    expect(await token(google, exchange)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } });
  });

  it('keeps its time, channels and revocations', async () => {
    let google = await restart();
    await google.addClient({ ...CLIENT, redirectUris: [REDIRECT_URI] });
    await google.addUser({ email: ADA });
    await google.advanceClock(10 * DAY_MS);
    const { refreshToken } = await google.grant(ADA, CLIENT.clientId);
    await google.revoke(ADA);
    const kept = await google.grant(ADA, CLIENT.clientId);
    const channel = { id: 'channel-1', type: 'web_hook', address: 'http://127.0.0.1:9/push' };
    const watch = { email: ADA, methodId: 'calendar.events.watch', path: { calendarId: 'primary' }, body: channel };
    expect((await google.act(watch)).status).toBe(200);
    const channels = await google.channels();

    google = await restart();
    expect(await google.channels()).toEqual(channels);
    expect((await refresh(google, kept.refreshToken)).status).toBe(200);
    expect((await refresh(google, refreshToken)).body).toMatchObject({
      ...{ error: 'invalid_grant', error_description: 'Token has been expired or revoked.' },
    });
    const { now } = (await google.control('GET', '/health')).body;
    expect(Date.parse(now)).toBeGreaterThan(Date.now() + 9 * DAY_MS);
  });

  it('has lost nothing that was written down when it is killed, and gives no id out twice', async () => {
    let google = await restart();
    await google.addClient({ ...CLIENT, redirectUris: [REDIRECT_URI] });
    await google.addUser({ email: ADA });
    const { accessToken } = await google.grant(ADA, CLIENT.clientId);
    await api(google, accessToken, EVENTS, event('Kept', 1));
    await eventually('it is written down', async () => ((await saved()).includes('"Kept"') ? true : undefined));
    const last = await api(google, accessToken, EVENTS, event('Last', 2));
    await kill(google);

    google = await restart();
    const { items } = await api(google, accessToken, EVENTS);
    expect(items).toContainEqual(expect.objectContaining({ summary: 'Kept' }));
    // Even what was not written down any more took ids and etags.
    const next = await api(google, accessToken, EVENTS, event('Next', 3));
    expect(next.id).not.toBe(last.id);
    expect(revisionOf(next)).toBeGreaterThan(revisionOf(last) + 100_000);
  });

  it('gives no id out twice either when it is killed before anything has changed', async () => {
    const skipped = async (): Promise<unknown> =>
      new Map(JSON.parse(await saved()).state.google.counters).get('skipped');
    let google = await restart();
    await google.addUser({ email: ADA });
    google = await restart();
    const before = await skipped();
    await kill(google);
    await restart();
    expect(await skipped()).toBeGreaterThan(before as number);
  });

  it('seeds the demonstration once, and lets its client follow the service', async () => {
    const seeded = { SANDBOX_SEED: 'demo', SANDBOX_REDIRECT_URIS: 'http://127.0.0.1:9/first' };
    let google = await restart(seeded);
    await google.removeUser('grace@example.com');
    const list = { email: ADA, methodId: 'calendar.events.list', path: { calendarId: 'primary' } };
    const { items } = (await google.act(list)).body;
    expect(items.length).toBeGreaterThan(0);

    google = await restart({ ...seeded, SANDBOX_REDIRECT_URIS: 'http://127.0.0.1:9/second' });
    expect(await google.users()).toMatchObject([{ email: ADA }]);
    expect((await google.act(list)).body.items).toEqual(items);
    const opened = async (redirectUri: string): Promise<number> => {
      const parameters = { client_id: DEMO_CLIENTS.google.clientId, redirect_uri: redirectUri };
      return (await fetch(authorizeUrl(google, parameters))).status;
    };
    expect(await opened('http://127.0.0.1:9/second')).toBe(200);
    expect(await opened('http://127.0.0.1:9/first')).toBe(400);
    await google.deleteClient(DEMO_CLIENTS.google.clientId);

    google = await restart(seeded);
    expect(await opened('http://127.0.0.1:9/first')).toBe(400);
  });

  it('seeds the client that the settings name, which follows the service', async () => {
    const seeded = { SANDBOX_SEED: 'demo', SANDBOX_GOOGLE_CLIENT: 'mine.apps.sandbox:secret' };
    await restart({ ...seeded, SANDBOX_REDIRECT_URIS: 'http://127.0.0.1:9/first' });
    const google = await restart({ ...seeded, SANDBOX_REDIRECT_URIS: 'http://127.0.0.1:9/second' });
    const opened = async (client_id: string): Promise<number> =>
      (await fetch(authorizeUrl(google, { client_id, redirect_uri: 'http://127.0.0.1:9/second' }))).status;
    expect(await opened('mine.apps.sandbox')).toBe(200);
    expect(await opened(DEMO_CLIENTS.google.clientId)).not.toBe(200);
  });

  it('is for its owner alone', async () => {
    await restart();
    expect((await stat(stateFile)).mode & 0o777).toBe(0o600);
    expect(await readdir(directory.path)).toEqual(['sandbox.json']);
  });

  it.each(['{"version":1,"sha256":"', '{"version":99,"state":{}}'])(
    'starts afresh on %s, which it sets aside',
    async (content) => {
      await writeFile(stateFile, content);
      const google = await restart({ SANDBOX_SEED: 'demo' });
      expect((await google.users()).map(({ email }) => email)).toContain(ADA);
      expect(google.program.stderr()).toMatch(/^\S+sandbox\.json is of no use .+\n$/);
      const [aside = ''] = (await readdir(directory.path)).filter((name) => name !== 'sandbox.json');
      expect(await readFile(join(directory.path, aside), 'utf8')).toBe(content);
      await google.addUser({ email: 'new@example.com' });

      const next = await restart({ SANDBOX_SEED: 'demo' });
      expect((await next.users()).map(({ email }) => email)).toContain('new@example.com');
      expect(next.program.stderr()).toBe('');
    },
  );

  it('does not start where it cannot keep anything', async () => {
    await mkdir(stateFile);
    await expect(startSandbox({ SANDBOX_STATE_FILE: stateFile })).rejects.toThrow(
      'The sandbox could not start: EISDIR',
    );
  });

  it('says so when it could not keep the last of it', async () => {
    const google = await restart();
    await directory.remove();
    await google.addUser({ email: ADA });
    expect(await google.program.stop()).toBe(1);
    expect(google.program.stderr()).toContain('The sandbox did not end well: ENOENT');
    sandbox = undefined;
  });

  it('begins anew when it is reset, and remembers that', async () => {
    let google = await restart();
    await google.addUser({ email: ADA });
    await google.reset();
    google = await restart();
    expect(await google.users()).toEqual([]);
  });
});

describe('the sandbox without a state file', () => {
  it('forgets', async () => {
    const ports = { SANDBOX_GOOGLE_PORT: String(await freePort()) };
    let sandbox = await startSandbox(ports);
    await sandbox.addUser({ email: ADA });
    expect(await sandbox.program.stop()).toBe(0);
    sandbox = await startSandbox(ports);
    try {
      expect(await sandbox.users()).toEqual([]);
    } finally {
      await sandbox.stop();
    }
  });
});
