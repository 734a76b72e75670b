// 35 s: services with a worker are broken on purpose, one for each invariant.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { inside, type Inside } from '../support/worker-inside.js';
import { WebhookLoad } from './webhook-load.js';

const SOON_MS = 2_000;

let load: WebhookLoad;
/** A worker that holds more than it needs. */
let leaking: Inside;

beforeAll(async () => {
  load = await WebhookLoad.start({}, 1);
  leaking = await inside();
  await load.startWorker(leaking.env);
});
afterAll(() => load?.stop());

/** @returns an expression, of more connections than a worker has at the busiest moment of a start */
const connections = (count: number, port: string) =>
  `Array.from({ length: ${count} }, () => process.getBuiltinModule('net').connect(${port}, '127.0.0.1'))`;

/** The invariants see what is wrong, and that it is no longer. */
describe('the invariants of faults', () => {
  it('hold where nothing breaks', async () => {
    await load.expectNothingLost();
    await load.invariants.expectResourcesBack();
  });

  it('I3 tell of an account that is EXPIRED, unless that was wanted', async () => {
    const { accountId: id } = load.calendars[0]!;
    const status = (to: string) => load.admin('update end_user_account set status = $2 where id = $1', [id, to]);
    await status('EXPIRED');
    await expect(load.invariants.expectNobodyEnded()).rejects.toThrow(id);
    load.invariants.ended.add(id);
    await load.invariants.expectNobodyEnded();
    load.invariants.ended.clear();
    await status('ACTIVE');
    await load.invariants.expectNobodyEnded();
  });

  it('I4 tell of a channel that only the provider has, and of one that only we have', async () => {
    // Workers would mend it, at times before anybody looks.
    for (const { child } of load.workers) child.kill('SIGSTOP');
    try {
      const [{ id, state }] = await load.admin('select id, state from provider_channel limit 1');
      await load.admin('update provider_channel set state = $2 where id = $1', [id, 'closing']);
      await expect(load.invariants.expectCounterparts(SOON_MS)).rejects.toThrow(id);
      await load.admin('update provider_channel set state = $2 where id = $1', [id, state]);
      await load.invariants.expectCounterparts();
      const [channel] = await load.system.fixture.sandbox.channels();
      await load.system.fixture.sandbox.dropChannel(channel!.id);
      await expect(load.invariants.expectCounterparts(SOON_MS)).rejects.toThrow(channel!.id);
    } finally {
      for (const { child } of load.workers) child.kill('SIGCONT');
    }
  });

  it('I4 tell of an account without credentials, and of a grant nobody revokes', async () => {
    const [{ copy }] = await load.admin('select to_jsonb(c) as copy from credential c limit 1');
    const account = copy.end_user_account_id as string;
    await load.admin('delete from credential where end_user_account_id = $1', [account]);
    await expect(load.invariants.expectCounterparts(SOON_MS)).rejects.toThrow(account);
    await load.admin('insert into credential select (jsonb_populate_record(null::credential, $1)).*', [copy]);
  });

  it('I4 tell of a write that was answered and is not there, and of one that is there twice', async () => {
    const calendar = load.calendars[0]!;
    const title = `Twice ${randomUUID()}`;
    load.notifyOfWrite(title, calendar, 200);
    await expect(load.expectWrittenOnce()).rejects.toThrow(title);
    await load.system.change(calendar, title);
    await load.expectWrittenOnce();
    await load.system.change(calendar, title);
    await expect(load.expectWrittenOnce()).rejects.toThrow(title);
  });

  it.each([
    ['sockets', connections(120, 'API_PORT'), 'destroy()'],
    ['connections', connections(60, 'DATABASE_PORT'), 'destroy()'],
    ['timers', 'Array.from({ length: 200 }, () => setInterval(() => {}, 1e9))', 'close()'],
    ['mib', "[process.getBuiltinModule('buffer').Buffer.alloc(300 * 2 ** 20, 1)]", 'fill(0)'],
  ])(
    'I5 tell of %s that are not given back',
    async (part, taken, giveBack) => {
      const { baseUrl, env } = load.system.fixture.service;
      const portOf = (url: string) => new URL(url).port;
      const expression = taken
        .replace('API_PORT', portOf(baseUrl))
        .replace('DATABASE_PORT', portOf(env['DATABASE_URL']!));
      await leaking.run(`globalThis.taken = ${expression}`);
      await expect(load.invariants.expectResourcesBack(SOON_MS)).rejects.toThrow(
        new RegExp(`worker \\d+: .* ${part}, at most`),
      );
      await leaking.run(`for (const each of globalThis.taken) each.${giveBack}; globalThis.taken = null;`);
    },
    90_000,
  );
});
