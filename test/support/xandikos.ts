import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { startBasicAuthProxy } from './basic-auth-proxy.js';
import { ALICE, startCalDavServer, statusOfPropfind, type CalDavLogin, type CalDavServer } from './caldav-server.js';
import { freePort, runProgram, startServer } from './processes.js';

/**
 * Xandikos (Debian 0.2.8) behind a Basic-authentication proxy. Its principal is `/alice/` whatever the login is
 * called, and it comes with one calendar, `/alice/calendars/calendar/`.
 */
export function startXandikos(login: CalDavLogin = ALICE): Promise<CalDavServer> {
  return startCalDavServer('xandikos', login, async (directory) => {
    const port = await freePort();
    const storage = join(directory, 'collections');
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
            cwd: directory,
            env: { ...process.env, HOME: directory, EMAIL: 'alice@example.test', USER: 'alice' },
          },
        ),
      async () => (await statusOfPropfind(`http://127.0.0.1:${port}/alice/`)) === 207,
    );
    const proxy = await startBasicAuthProxy(port, login);
    return {
      port: proxy.port,
      async stop() {
        await proxy.stop();
        await program.stop(3_000);
      },
    };
  });
}
