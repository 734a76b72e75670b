// 25 s: a hundred wrong passwords, each of them hashed, and the waits that follow.
import { OperatorBrowser } from '../support/operator-browser.js';
import type { RunningProgram } from '../support/processes.js';
import { asAdmin } from '../support/postgres.js';
import { startAnotherApi, startService, type Answer, type Service } from '../support/service.js';

const ADA = { email: 'ada@example.com', password: 'a small engine that counts' };
/** More than the slow-down of an address, and less than a block. */
const SOON_MS = 5_000;

let service: Service;
/** The same service, as it is behind an ingress that it does not trust: everybody has one address. */
let shut: { baseUrl: string; program: RunningProgram };
/** Has signed in before. */
let known: OperatorBrowser;

beforeAll(async () => {
  service = await startService({ TRUST_PROXY: '1', RATE_LIMIT_RPS: '100000' });
  shut = await startAnotherApi({ ...service.env, TRUST_PROXY: '0' });
  const { link } = await service.ops<{ link: string }>('operator', 'create', '--email', ADA.email);
  known = new OperatorBrowser(service, '198.51.100.1');
  const token = link.slice(link.indexOf('#') + 1);
  const accepted = await known.call('POST', '/invitations/accept', {
    body: { token, name: 'Ada', password: ADA.password },
  });
  expect(accepted.status).toBe(200);
});

afterAll(async () => {
  await shut?.program.stop();
  await service?.stop();
});

const rows = <T = unknown>(text: string, values: unknown[] = []): Promise<T[]> =>
  asAdmin(service.adminDatabaseUrl, async (admin) => (await admin.query(text, values)).rows as T[]);

beforeEach(() => rows('delete from operator_sign_in_failure'));

let networks = 1;
function stranger(over: Partial<Pick<OperatorBrowser, 'address' | 'service'>> = {}): OperatorBrowser {
  return Object.assign(new OperatorBrowser(service, `198.51.100.${(networks += 1)}`), over);
}

const outcome = ({ status, body }: Answer): unknown => [status, (body as { code?: string } | null)?.code ?? null];
const signIn = (browser: OperatorBrowser) => browser.signIn(ADA.email, ADA.password);

/** What somebody does who has no password, from one place, or from a new one each time. */
async function guess(times: number, place: () => OperatorBrowser): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await place().signIn(ADA.email, `wrong ${n}`)).status);
  return statuses;
}

describe('N62 an operator whose password strangers guess', () => {
  it('gets in from another network, where the guessers wait', async () => {
    const attacker = stranger();
    expect(await guess(6, () => attacker)).toEqual([403, 403, 403, 403, 403, 429]);
    expect(outcome(await signIn(stranger({ address: attacker.address })))).toEqual([429, 'RateLimited']);
    const begun = performance.now();
    expect((await signIn(stranger())).status).toBe(200);
    expect(performance.now() - begun).toBeLessThan(SOON_MS);
  });

  it('gets in from the network of the guessers with a device that has signed in before', async () => {
    const attacker = stranger();
    await guess(6, () => attacker);
    known.address = attacker.address;
    expect((await signIn(known)).status).toBe(200);
  });

  it('gets in although nobody is told apart: no proxy is trusted, and everybody has one address', async () => {
    expect(await guess(6, () => stranger({ service: { ...service, ...shut } }))).toEqual([
      403, 403, 403, 403, 403, 429,
    ]);
    known.service = { ...service, ...shut };
    try {
      expect((await signIn(known)).status).toBe(200);
    } finally {
      known.service = service;
    }
  });

  it('gets in at an address that others guess other addresses from, after seconds', async () => {
    const attacker = stranger();
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await attacker.signIn(`guess-${n}@example.com`, 'wrong')).status);
    expect(statuses.slice(0, 5)).toEqual([403, 403, 403, 403, 403]);
    expect(statuses).toContain(429);
    await rows(`update operator_sign_in_failure set failures = 1000, last_at = now() where blocked_until is not null`);
    const rejected = await attacker.signIn('one-more@example.com', 'wrong');
    const again = rejected.status === 429 ? rejected : await signIn(stranger({ address: attacker.address }));
    expect(again.status).toBe(429);
    const wait = Number(again.headers.get('retry-after'));
    expect(wait).toBeLessThanOrEqual(5);
    await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
    expect((await signIn(stranger({ address: attacker.address }))).status).toBe(200);
  });

  it('gets in from a new network however many networks guess: each guess takes longer, none is refused', async () => {
    const begun = performance.now();
    expect(new Set(await guess(9, stranger))).toEqual(new Set([403]));
    // 5 at once, then waits of 250, 500, 1,000 and 2,000 ms.
    expect(performance.now() - begun).toBeGreaterThan(3_000);
    await rows('update operator_sign_in_failure set failures = 1000000');
    const last = performance.now();
    expect((await signIn(stranger())).status).toBe(200);
    expect(performance.now() - last).toBeLessThan(SOON_MS);
    // Their own mistakes and others' are over with it.
    const next = performance.now();
    expect((await signIn(stranger())).status).toBe(200);
    expect(performance.now() - next).toBeLessThan(1_500);
  });

  it('changes the password meanwhile: who has a session is nobody else', async () => {
    const attacker = stranger();
    const own = stranger();
    expect((await signIn(own)).status).toBe(200);
    await guess(6, () => attacker);
    own.address = attacker.address;
    const change = { currentPassword: ADA.password, newPassword: ADA.password };
    expect(outcome(await own.call('PUT', '/session/password', { body: change }))).toEqual([200, null]);
    known = own;
  });
});

describe('a device that has signed in before', () => {
  it('has a cookie that is for this host, for https and for no script, and for one operator', async () => {
    const one = stranger();
    await signIn(one);
    const [pair = '', ...attributes] = one.setDeviceCookie.split('; ');
    const [{ id }] = (await rows('select id from operator where email = $1', [ADA.email])) as [{ id: string }];
    expect(pair.startsWith(`__Secure-uc_device_${id}=`)).toBe(true);
    const lasting = attributes.filter((attribute) => !attribute.startsWith('Expires='));
    expect(lasting.sort()).toEqual(['HttpOnly', 'Max-Age=15552000', 'Path=/api/operator', 'SameSite=Strict', 'Secure']);
    expect(JSON.stringify(await rows('select * from operator_session'))).not.toContain(pair.split('=')[1]);
  });

  it('keeps it when the session ends', async () => {
    const one = stranger();
    await signIn(one);
    const { device } = one;
    expect((await one.call('DELETE', '/session')).status).toBe(204);
    expect(one.device).toBe(device);
  });

  it('guesses no faster than others, and holds up nobody else', async () => {
    const thief = stranger();
    await signIn(thief);
    expect(await guess(6, () => thief)).toEqual([403, 403, 403, 403, 403, 429]);
    expect(outcome(await signIn(thief))).toEqual([429, 'RateLimited']);
    thief.address = '198.51.100.250';
    expect(outcome(await signIn(thief))).toEqual([429, 'RateLimited']);
    expect((await signIn(stranger({ address: thief.address }))).status).toBe(200);
  });

  it.each<[string, (value: string) => string]>([
    ['another id', (value) => `${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`],
    ['a later end', (value) => value.replace(/~(\d)/, '~9$1')],
    ['another signature', (value) => `${value.slice(0, -2)}${value.endsWith('AA') ? 'BA' : 'AA'}`],
    ['no signature', (value) => value.slice(0, value.lastIndexOf('~'))],
    ['garbage', () => 'x'.repeat(4_000)],
  ])('is nobody with %s', async (_, forge) => {
    const attacker = stranger();
    await signIn(attacker);
    const [name, value = ''] = (attacker.device ?? '').split('=');
    attacker.device = `${name}=${forge(value)}`;
    expect(attacker.device).not.toBe(`${name}=${value}`);
    await guess(6, () => stranger({ address: attacker.address }));
    expect(outcome(await signIn(attacker))).toEqual([429, 'RateLimited']);
  });

  it('is one of one operator alone', async () => {
    const attacker = stranger();
    await signIn(attacker);
    const [, value = ''] = (attacker.device ?? '').split('=');
    const { link } = await service.ops<{ link: string }>('operator', 'create', '--email', 'eve@example.com');
    const eve = stranger();
    const body = { token: link.slice(link.indexOf('#') + 1), name: 'Eve', password: 'a password of her own' };
    expect((await eve.call('POST', '/invitations/accept', { body })).status).toBe(200);
    const [name = ''] = (eve.device ?? '').split('=');
    for (let n = 0; n < 6; n += 1) await stranger({ address: eve.address }).signIn('eve@example.com', `wrong ${n}`);
    const both = stranger({ address: eve.address });
    both.device = `${name}=${value}`;
    expect(outcome(await both.signIn('eve@example.com', body.password))).toEqual([429, 'RateLimited']);
    expect((await eve.signIn('eve@example.com', body.password)).status).toBe(200);
  });

  it('is a stranger again once the password was changed elsewhere', async () => {
    const [left, here] = [stranger(), stranger()];
    expect([(await signIn(left)).status, (await signIn(here)).status]).toEqual([200, 200]);
    const before = here.device;
    const change = { currentPassword: ADA.password, newPassword: 'another engine that counts' };
    expect((await here.call('PUT', '/session/password', { body: change })).status).toBe(200);
    expect(here.device).not.toBe(before);
    const attacker = stranger();
    await guess(6, () => attacker);
    left.address = here.address = attacker.address;
    expect(outcome(await left.signIn(ADA.email, change.newPassword))).toEqual([429, 'RateLimited']);
    expect((await here.signIn(ADA.email, change.newPassword)).status).toBe(200);
  });
});
