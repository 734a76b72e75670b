import { join } from 'node:path';
import { ALICE, startCalDavServer, statusOfPropfind, type CalDavLogin, type CalDavServer } from './caldav-server.js';
import { freePort, runProgram, startServer } from './processes.js';

const ROUTER = join(import.meta.dirname, 'sabre.php');

/**
 * sabre/dav (Debian 1.8.12: no sync-collection, no scheduling) on PHP's own web server and SQLite. It lives below
 * `/dav.php/`, where `/.well-known/caldav` leads, and has no calendars: create them with MKCALENDAR below
 * `/dav.php/calendars/<username>/`.
 */
export function startSabre(
  login: CalDavLogin = ALICE,
  authentication: 'basic' | 'digest' = 'basic',
): Promise<CalDavServer> {
  return startCalDavServer('sabre', login, async (directory) => {
    const env = {
      PATH: process.env['PATH'],
      SABRE_DATABASE: join(directory, 'database'),
      SABRE_AUTHENTICATION: authentication,
    };
    const made = runProgram('php', [ROUTER, login.username, login.password], { cwd: directory, env });
    if ((await made.exited) !== 0) throw new Error(`sabre/dav has no database: ${made.stdout()} ${made.stderr()}`);
    const port = await freePort();
    const ready = authentication === 'basic' ? 207 : 401;
    const program = await startServer(
      'sabre/dav',
      () => runProgram('php', ['-S', `127.0.0.1:${port}`, ROUTER], { cwd: directory, env }),
      async () => (await statusOfPropfind(`http://127.0.0.1:${port}/dav.php/`, login)) === ready,
    );
    return { port, stop: () => program.stop(3_000) };
  });
}
