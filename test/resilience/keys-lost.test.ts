// 30 s: api and worker start three times, each time with other keys.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { KeyRing } from '../../libs/persistence/src/encryption/field-cipher.js';
import { OAUTH_PROVIDERS, type OAuthProviderType } from '../support/oauth-subject.js';
import { eventually, type RunningProgram } from '../support/processes.js';
import { startApi } from '../support/service.js';
import { startWebhookSystem, type Subscribed, type WebhookSystem } from '../support/webhook-system.js';
import { verified, type Receipt } from '../support/webhook-receiver.js';
import type { WorkerUnderTest } from '../support/worker.js';
import { runDocumented, runOps } from './recovery-page.js';

let system: WebhookSystem;
let people: Record<OAuthProviderType, Subscribed>;
let env: NodeJS.ProcessEnv;
let api: RunningProgram;
let worker: WorkerUnderTest;

const call = (method: string, path: string, options = {}) => system.fixture.service.call(method, path, options);
const account = async ({ accountId }: Subscribed) => (await call('GET', `/v1/endUserAccounts/${accountId}`)).body;

async function restart(): Promise<void> {
  await Promise.all([api?.stop(), worker?.stop()]);
  ({ program: api } = await startApi(env));
  worker = await system.startWorker(env);
}

beforeAll(async () => {
  system = await startWebhookSystem({ EXPIRY_PROBE_INTERVAL: '5' });
  people = {
    GOOGLE: await system.subscribe('GOOGLE'),
    MICROSOFT: await system.subscribe('MICROSOFT'),
  };
  await system.fixture.service.program.stop();
  // The id may well be the same as before.
  env = {
    ...system.fixture.service.env,
    ENCRYPTION_KEYS: KeyRing.generateEntry('test'),
  };
  await restart();
});

afterAll(async () => {
  await api?.stop();
  await system?.stop();
});

function isSigned(receipt: Receipt, secret: string): boolean {
  try {
    verified(receipt, secret);
    return true;
  } catch {
    return false; // of before, with a secret that nobody knows
  }
}

describe('with other encryption keys', () => {
  it('processes run, accounts are listed, and nothing is taken for dead', async () => {
    await system.change(people.GOOGLE, 'Nobody hears of it yet');
    await eventually('the probes have failed', () => (worker.stdout().includes('FieldCipherError') ? true : undefined));
    expect([await worker.probe('ready'), await worker.probe('live')]).toEqual([200, 200]);
    for (const type of OAUTH_PROVIDERS) expect(await account(people[type])).toMatchObject({ status: 'ACTIVE' });
  });

  it.each(OAUTH_PROVIDERS)('calls that need the credentials of %s fail, and tell nothing of it', async (type) => {
    const response = await call('GET', `/v1/calendars/${people[type].accountId}`);
    expect(response).toMatchObject({
      status: 500,
      body: { code: 'InternalServerError' },
    });
    expect(JSON.stringify(response.body)).not.toMatch(/key|cipher|credential/i);
  });
});

describe('once they are given up', () => {
  it('accounts are EXPIRED, and the operator is told what to do', async () => {
    await Promise.all([api.stop(), worker.stop()]);
    const { applicationId } = system.fixture.service;
    const said = await runDocumented('give-up-keys', env);
    expect(said).toContain('2 accounts have to be connected again');
    expect(said).toContain(`oauth-client set --application ${applicationId} --provider google`);
    for (const { subscriptionId } of Object.values(people)) {
      expect(said).toContain(`Application ${applicationId} must rotate the secret of ${subscriptionId}.`);
    }
    await restart();
    for (const type of OAUTH_PROVIDERS) {
      const { accountId } = people[type];
      expect(await account(people[type])).toMatchObject({ status: 'EXPIRED' });
      expect(await call('GET', `/v1/calendars/${accountId}`)).toMatchObject({
        ...{ status: 403, body: { code: 'EndUserAccountExpired' } },
      });
      expect(await system.fixture[type].notifiedExpired(accountId)).toEqual(['invalid_grant']);
    }
  });

  it('tells nobody twice when it is done once more', async () => {
    expect(await runDocumented('give-up-keys', env)).toContain(
      '2 accounts have to be connected again; 0 other secrets',
    );
    expect(await system.fixture.GOOGLE.notifiedExpired(people.GOOGLE.accountId)).toHaveLength(1);
  });

  it.each(OAUTH_PROVIDERS)('an account of %s comes back under its id, and is told of changes', async (type) => {
    const person = people[type];
    const { clientId, clientSecret } = system.fixture[type].words;
    const { applicationId } = system.fixture.service;
    await runOps(
      `oauth-client set --application ${applicationId} --provider ${type} --client-id ${clientId} --client-secret ${clientSecret}`,
      env,
    );
    expect((await system.fixture[type].connected(person.email)).accountId).toBe(person.accountId);

    const { status, body } = await call('POST', `/v1/webhookEndpoints/${person.subscriptionId}/rotateSecret`, {
      body: {},
    });
    expect(status).toBe(200);
    const before = system.receiver.at(person.path).length;
    await system.change(person, 'Back');
    const signed = () =>
      system.receiver
        .at(person.path)
        .slice(before)
        .some((each) => isSigned(each, body.endpointSecret));
    await eventually('it is told, signed with the new secret', () => (signed() ? true : undefined));
  });
});
