import { join } from 'node:path';
import { ALICE, basicAuthorization, type CalDavLogin, type CalDavServer } from './caldav-server.js';
import { freePort, runProgram, startServer, temporaryDirectory } from './processes.js';

const ROUTER = join(import.meta.dirname, 'sabre.php');

/**
 * sabre/dav (Debian 1.8.12: no sync-collection, no scheduling) on PHP's own web server and SQLite. It lives below
 * `/dav.php/`, where `/.well-known/caldav` leads, and has no calendars: create them with MKCALENDAR below
 * `/dav.php/calendars/<username>/`.
 */
export async function startSabre(
  login: CalDavLogin = ALICE,
  authentication: 'basic' | 'digest' = 'basic',
): Promise<CalDavServer> {
  const directory = await temporaryDirectory('sabre');
  try {
    const env = {
      PATH: process.env['PATH'],
      SABRE_DATABASE: join(directory.path, 'database'),
      SABRE_AUTHENTICATION: authentication,
    };
    const made = runProgram('php', [ROUTER, login.username, login.password], { cwd: directory.path, env });
    if ((await made.exited) !== 0) throw new Error(`sabre/dav has no database: ${made.stdout()} ${made.stderr()}`);
    const authority = `127.0.0.1:${await freePort()}`;
    const url = `http://${authority}/`;
    const program = await startServer(
      'sabre/dav',
      () => runProgram('php', ['-S', authority, ROUTER], { cwd: directory.path, env }),
      async () => {
        const answer = await fetch(`${url}dav.php/`, {
          method: 'PROPFIND',
          headers: { authorization: basicAuthorization(login), depth: '0' },
        });
        await answer.arrayBuffer();
        return answer.status === (authentication === 'basic' ? 207 : 401);
      },
    );
    return {
      name: 'sabre',
      url,
      authority,
      ...login,
      async stop() {
        await program.stop(3_000);
        await directory.remove();
      },
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}
