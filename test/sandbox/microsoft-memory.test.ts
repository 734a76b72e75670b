import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEMO_CLIENTS } from '../../apps/sandbox/src/demo-clients.js';
import { eventually, temporaryDirectory } from '../support/processes.js';
import { startSandbox, type Sandbox } from '../support/sandbox.js';

const CLIENT = { clientId: 'c-1', clientSecret: 's-1', redirectUris: ['http://127.0.0.1:9/callback/microsoft'] };
const IDA = 'ida@fabrikam.example';

describe('the Microsoft half with a state file', () => {
  let directory: { path: string; remove(): Promise<void> };
  let stateFile: string;
  let sandbox: Sandbox;

  beforeEach(async () => {
    directory = await temporaryDirectory('sandbox-microsoft');
    stateFile = join(directory.path, 'sandbox.json');
    sandbox = await startSandbox({ SANDBOX_STATE_FILE: stateFile });
  });
  afterEach(async () => {
    await sandbox.stop();
    await directory.remove();
  });

  const restart = async (settings: NodeJS.ProcessEnv = {}): Promise<void> => {
    await sandbox.stop();
    sandbox = await startSandbox({ SANDBOX_STATE_FILE: stateFile, ...settings });
  };
  const refresh = async (refreshToken: string, secret = CLIENT.clientSecret) => {
    const response = await fetch(`${sandbox.microsoftUrl}/common/oauth2/v2.0/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: refreshToken },
        ...{ client_id: CLIENT.clientId, client_secret: secret },
      }),
    });
    return { status: response.status, body: (await response.json()) as any };
  };
  const event = {
    subject: 'Kept',
    start: { dateTime: '2026-12-07T09:00:00', timeZone: 'UTC' },
    end: { dateTime: '2026-12-07T10:00:00', timeZone: 'UTC' },
  };
  const keys = async () => (await fetch(`${sandbox.microsoftUrl}/common/discovery/v2.0/keys`)).json();

  it('goes on with users, clients, tokens, policies, keys and calendars', async () => {
    const { microsoft } = sandbox;
    await microsoft.addClient(CLIENT);
    const { tid } = await microsoft.addUser({ email: IDA });
    await microsoft.consentPolicy(tid, 'admin');
    await microsoft.adminConsent(tid, CLIENT.clientId, ['openid']);
    const { accessToken, refreshToken } = await microsoft.grant(IDA, CLIENT.clientId);
    const made = await microsoft.act({ email: IDA, methodId: 'create_me_events', body: event });
    const [users, keySet] = [await microsoft.users(), await keys()];
    await restart();
    expect(await sandbox.microsoft.users()).toEqual(users);
    expect(await keys()).toEqual(keySet);
    expect((await refresh(refreshToken)).status).toBe(200);
    expect((await refresh(refreshToken, 'other')).status).toBe(401);
    const read = await fetch(`${sandbox.microsoftUrl}/v1.0/me/events/${encodeURIComponent(made.body.id)}`, {
      headers: { authorization: `Bearer ${accessToken}`, prefer: 'IdType="ImmutableId"' },
    });
    expect(await read.json()).toMatchObject({ id: made.body.id, subject: 'Kept' });
    const { consentPolicies, adminConsents } = JSON.parse(await readFile(stateFile, 'utf8')).state.microsoft;
    expect(consentPolicies).toEqual([[tid, 'admin']]);
    expect(adminConsents).toEqual([[`${tid} ${CLIENT.clientId}`, { $set: ['openid'] }]]);
    await sandbox.microsoft.revoke(IDA);
    await restart();
    expect((await refresh(refreshToken)).body.error_codes).toEqual([50173]);
    await sandbox.expectNoViolations();
  });

  it('gives out no id twice after it was killed', async () => {
    await sandbox.microsoft.addUser({ email: IDA });
    const saved = await eventually('the user is saved', async () => {
      const text = await readFile(stateFile, 'utf8');
      return text.includes(IDA) ? text : undefined;
    });
    const create = async () =>
      (await sandbox.microsoft.act({ email: IDA, methodId: 'create_me_events', body: event })).body;
    const lost = await create();
    sandbox.program.child.kill('SIGKILL');
    await sandbox.program.exited;
    await writeFile(stateFile, saved);
    sandbox = await startSandbox({ SANDBOX_STATE_FILE: stateFile });
    const next = await create();
    expect(next.id).not.toBe(lost.id);
    expect(next['@odata.etag']).not.toBe(lost['@odata.etag']);
  });

  it('starts with a work and a personal account, and redirect URIs of its own', async () => {
    const uris = ['http://localhost:3000/cb/google', 'http://localhost:3000/cb/microsoft'];
    const demo = { SANDBOX_SEED: 'demo', SANDBOX_REDIRECT_URIS: uris.join(',') };
    await sandbox.reset();
    await restart({ ...demo, SANDBOX_STATE_FILE: '' });
    expect((await sandbox.microsoft.users()).map(({ kind }) => kind)).toEqual(['work', 'personal']);
    const { body } = await sandbox.microsoft.act({ email: 'alan@contoso.example', methodId: 'list_me_events' });
    expect(body.value.map(({ subject }: { subject: string }) => subject).sort()).toEqual([
      'Review of the machine',
      'Stand-up',
    ]);
    const authorize = async (redirectUri: string): Promise<number> => {
      const parameters = new URLSearchParams({
        ...{ client_id: DEMO_CLIENTS.microsoft.clientId, response_type: 'code', scope: 'openid' },
        redirect_uri: redirectUri,
      });
      const url = `${sandbox.microsoftUrl}/common/oauth2/v2.0/authorize?${parameters.toString()}`;
      const response = await fetch(url);
      await response.body?.cancel();
      return response.status;
    };
    expect([await authorize(uris[1]!), await authorize(uris[0]!)]).toEqual([200, 400]);
    await sandbox.expectNoViolations();
  });
});
