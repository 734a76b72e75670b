import { hash } from 'node:crypto';
import { eventually, type RunningProgram } from '../../support/processes.js';
import { OperatorBrowser } from '../../support/operator-browser.js';
import { asAdmin } from '../../support/postgres.js';
import { startAnotherApi, startService, type Service } from '../../support/service.js';

let service: Service;
beforeAll(async () => {
  service = await startService({ TRUST_PROXY: '1' });
});
afterAll(() => service?.stop());

const rows = <T>(text: string, values: unknown[] = []): Promise<T[]> =>
  asAdmin(service.adminDatabaseUrl, async (admin) => (await admin.query(text, values)).rows as T[]);

const SETUP_LINKS =
  'select round(extract(epoch from expires_at - created_at) / 60)::int as minutes from operator_invitation where email is null';

function warnings({ stdout }: RunningProgram): Record<string, unknown>[] {
  return stdout()
    .split('\n')
    .filter((line) => line.includes('no operator yet'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** The one that is there, or will be in a moment: the service writes its lines a little later. */
const warning = (program: RunningProgram) => eventually('the warning', () => warnings(program)[0]);

const open = (token: string) =>
  new OperatorBrowser(service).call('POST', '/invitations/open', { body: { token } }).then(({ status }) => status);

describe('the link of the first operator', () => {
  it('lives an hour where it is in the log', async () => {
    expect(await warning(service.program)).toMatchObject({ setupLink: expect.any(String) });
    expect(warnings(service.program)).toHaveLength(1);
    expect(await rows(SETUP_LINKS)).toEqual([{ minutes: 60 }]);
  });

  it('is in no log in production: it names a command, whose link works', async () => {
    const { setupLink } = (await warning(service.program)) as { setupLink: string };
    const token = setupLink.slice(setupLink.indexOf('#') + 1);
    expect(await open(token)).toBe(200);
    const settings = { ...service.env, NODE_ENV: 'production', PUBLIC_URL: 'https://calendar.example.com' };
    const replicas = [await startAnotherApi(settings), await startAnotherApi(settings)];
    try {
      for (const { program } of replicas) {
        expect(await warning(program)).toMatchObject({
          level: expect.anything(),
          setupCommand: 'node dist/apps/ops/src/main.js operator create --email <address>',
        });
        expect(warnings(program)).toHaveLength(1);
        expect(program.stdout() + program.stderr()).not.toMatch(/setupLink|dashboard\/setup|#[\w-]{20}/);
      }
    } finally {
      await Promise.all(replicas.map(({ program }) => program.stop()));
    }
    // One that an earlier start has logged opens nothing any more.
    expect(await rows(SETUP_LINKS)).toEqual([]);
    expect(await open(token)).toBe(404);

    const { link } = await service.ops<{ link: string }>('operator', 'create', '--email', 'ada@example.com');
    const made = link.slice(link.indexOf('#') + 1);
    expect(
      await rows('select role from operator_invitation where token_hash = $1', [hash('sha256', made, 'buffer')]),
    ).toEqual([{ role: 'admin' }]);
    const body = { token: made, name: 'Ada', password: 'a small engine that counts' };
    const accepted = await new OperatorBrowser(service).call('POST', '/invitations/accept', { body });
    expect([accepted.status, accepted.body.operator.role]).toEqual([200, 'admin']);
  });

  it('is made by no start once there is an operator, nor is a command named', async () => {
    for (const NODE_ENV of ['production', 'development']) {
      const { program } = await startAnotherApi({
        ...service.env,
        NODE_ENV,
        PUBLIC_URL: 'https://calendar.example.com',
      });
      await program.stop();
      expect(warnings(program)).toEqual([]);
    }
    expect(await rows(SETUP_LINKS)).toEqual([]);
  });
});
