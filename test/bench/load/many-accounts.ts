import { FakeCalDav } from '../../support/fake-caldav.js';
import { asAdmin } from '../../support/postgres.js';
import { AS_DELIVERED, startService, type Service } from '../../support/service.js';
import type { Call } from './open-load.js';

const ACCOUNTS = 200;

/** A service with an application that has many accounts: a page of them is real work for the API, and little for others. */
export interface ManyAccounts {
  service: Service;
  /** Answered with all of them. */
  list: Call;
  stop(): Promise<void>;
}

/** @param settings environment on top of what it gets */
export async function startManyAccounts(settings: NodeJS.ProcessEnv = {}): Promise<ManyAccounts> {
  const fake = await FakeCalDav.start();
  const service = await startService({
    EGRESS_ALLOW: fake.egressAllow,
    RATE_LIMIT_RPS: '1000000',
    LOG_LEVEL: 'warn',
    ...AS_DELIVERED,
    ...settings,
  });
  const { username, password } = fake.login;
  const connected = await service.call('POST', `/v1/basicAuth/connect/${service.applicationId}/caldav`, {
    body: { serverUrl: fake.url, email: username, password },
  });
  if (connected.status !== 200) throw new Error(`cannot connect: ${JSON.stringify(connected.body)}`);
  await asAdmin(service.adminDatabaseUrl, async (admin) => {
    await admin.query(
      `insert into end_user_account
       select (jsonb_populate_record(account, jsonb_build_object('id', gen_random_uuid(), 'email', number || '@example.com'))).*
       from end_user_account account, generate_series(2, $1) number`,
      [ACCOUNTS],
    );
  });
  return {
    service,
    list: {
      method: 'GET',
      path: `/api/v1/endUserAccounts?limit=${ACCOUNTS}`,
      headers: { 'x-api-key': service.apiKey },
    },
    async stop() {
      await service.stop();
      await fake.close();
    },
  };
}
