// 38 s: every command of every runbook is a process of its own.
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runProgram, temporaryDirectory } from '../support/processes.js';
import { fencedBlocks } from './page.js';
import { startService, type Service } from '../support/service.js';

const ROOT = join(import.meta.dirname, '..', '..');
const DIRECTORY = join(ROOT, 'docs', 'runbooks');
const INDEX = 'README.md';

const blocksOf = (page: string): string[] => fencedBlocks(readFileSync(join(DIRECTORY, page), 'utf8'), 'sh');

/** What the index has somebody type before any of the others. */
const SHELL = blocksOf(INDEX).join('');
const COMMANDS = readdirSync(DIRECTORY)
  .filter((page) => page !== INDEX)
  .flatMap((page) => blocksOf(page).map((block) => ({ page, block })));

/** A cluster in which a pod runs its commands here. Knows what the pages ask of one, and fails at everything else. */
const KUBECTL = `#!/bin/sh
case "$1 $2" in
  'get secret') printf %s "$CLUSTER_DATABASE_URL" | base64 | tr -d '\\n' ;;
  'exec -i' | exec\\ deploy/*)
    while [ "$1" != -- ]; do shift; done
    shift
    cd "$CLUSTER_ROOT" && DATABASE_URL=$CLUSTER_DATABASE_URL exec "$@" ;;
  'get pods')
    for last in "$@"; do :; done
    echo "$last" | grep -Eqx 'app[.]kubernetes[.]io/name=unified-calendar(,app[.]kubernetes[.]io/component=(api|worker))?' ;;
  'describe pod' | 'delete pod') test -n "$3" ;;
  logs\\ *) test "$3" = --previous ;;
  *) echo "kubectl $*: no page asks that" >&2; exit 1 ;;
esac
`;

describe('commands of the runbooks', () => {
  let service: Service;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

  beforeAll(async () => {
    service = await startService();
    await service.setOAuthClient({ providerType: 'GOOGLE', clientId: 'client', clientSecret: 'secret' });
    directory = await temporaryDirectory('runbooks');
    const bin = join(directory.path, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'kubectl'), KUBECTL);
    await chmod(join(bin, 'kubectl'), 0o755);
    await writeFile(join(directory.path, 'secret'), 'another-secret\n');
  });

  afterAll(async () => {
    await service?.stop();
    await directory?.remove();
  });

  /** As somebody types it who has read the index, with what is written in angle brackets filled in. */
  async function typed(block: string) {
    const filledIn = block.replaceAll('<id>', service.applicationId).replaceAll('<pod>', 'calendar-worker-1');
    const address = SHELL.replace('https://calendar.example.com', service.baseUrl);
    const program = runProgram('sh', ['-euc', `${address}\n${filledIn}`], {
      cwd: directory.path,
      env: {
        PATH: [join(directory.path, 'bin'), dirname(process.execPath), process.env['PATH']].join(':'),
        CLUSTER_DATABASE_URL: service.env['DATABASE_URL'],
        CLUSTER_ROOT: ROOT,
        ENCRYPTION_KEYS: service.env['ENCRYPTION_KEYS'],
      },
    });
    return { exitCode: await program.exited, stderr: program.stderr(), stdout: program.stdout() };
  }

  it('are on the pages', () => expect(COMMANDS.length).toBeGreaterThan(8));

  it.each(COMMANDS)(
    '$page: $block',
    async ({ block }) => {
      expect(await typed(block)).toMatchObject({ exitCode: 0, stderr: '' });
    },
    60_000,
  );

  it('find what they are to find', async () => {
    const found = async (page: string) =>
      (await Promise.all(blocksOf(page).map(typed))).map(({ stdout }) => stdout).join('');
    expect(await found('CalendarApiDown.md')).toContain('200');
    expect(await found('CalendarDatabasePoolSaturated.md')).toContain('unified-calendar api');
    expect(await found('CalendarDatabaseUnavailable.md')).toMatch(/pg_is_in_recovery[^]*false[^]*unified-calendar api/);
    expect(await found('CalendarMassExpiryBreaker.md')).toContain('was not tripped');
    expect(await found('CalendarTokenRefreshesFailing.md')).toContain(service.applicationId);
  });

  it('would fail here if they were not what there is', async () => {
    for (const wrong of ['ops oauth-client forget', 'kubectl get nodes', 'psql "$DATABASE_URL" -c "select nothing"']) {
      expect([wrong, (await typed(wrong)).exitCode]).not.toEqual([wrong, 0]);
    }
  });
});
