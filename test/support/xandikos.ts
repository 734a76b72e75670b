import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startBasicAuthProxy } from './basic-auth-proxy.js';
import { ALICE, type CalDavLogin, type CalDavServer } from './caldav-server.js';
import { freePort, runProgram, startServer, temporaryDirectory } from './processes.js';

/**
 * Xandikos (Debian 0.2.8) behind a Basic-authentication proxy. Its principal is `/alice/` whatever the login is
 * called, and it comes with one calendar, `/alice/calendars/calendar/`.
 */
export async function startXandikos(login: CalDavLogin = ALICE): Promise<CalDavServer> {
  const directory = await temporaryDirectory('xandikos');
  try {
    const port = await freePort();
    const storage = join(directory.path, 'collections');
    await mkdir(storage);
    const program = await startServer(
      'xandikos',
      () =>
        runProgram(
          'xandikos',
          [
            ...['-d', storage, '-l', '127.0.0.1', '-p', String(port)],
            ...['--current-user-principal', '/alice/', '--autocreate', '--defaults'],
          ],
          // It keeps its collections in git, which refuses to commit for nobody.
          {
            cwd: directory.path,
            env: { ...process.env, HOME: directory.path, EMAIL: 'alice@example.test', USER: 'alice' },
          },
        ),
      async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/alice/`, { method: 'PROPFIND', headers: { depth: '0' } });
        await answer.arrayBuffer();
        return answer.status === 207;
      },
    );
    const proxy = await startBasicAuthProxy(port, login);
    const authority = `127.0.0.1:${proxy.port}`;
    return {
      name: 'xandikos',
      url: `http://${authority}/`,
      authority,
      ...login,
      async stop() {
        await proxy.stop();
        await program.stop(3_000);
        await directory.remove();
      },
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}
