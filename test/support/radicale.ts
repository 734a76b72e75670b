import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALICE, startCalDavServer, statusOfPropfind, type CalDavLogin, type CalDavServer } from './caldav-server.js';
import { freePort, runProgram, startServer } from './processes.js';

/**
 * Radicale (Debian 3.1.8) with a plain htpasswd file and its own storage. It has no calendars: create them with
 * MKCALENDAR below `/<username>/`.
 * @param others logins besides the one of the returned server
 */
export function startRadicale(login: CalDavLogin = ALICE, others: CalDavLogin[] = []): Promise<CalDavServer> {
  return startCalDavServer('radicale', login, async (directory) => {
    const port = await freePort();
    const config = join(directory, 'config');
    const users = join(directory, 'users');
    const storage = join(directory, 'collections');
    await mkdir(storage);
    await writeFile(users, [login, ...others].map(({ username, password }) => `${username}:${password}\n`).join(''));
    await writeFile(
      config,
      [
        '[server]',
        `hosts = 127.0.0.1:${port}`,
        '[auth]',
        'type = htpasswd',
        `htpasswd_filename = ${users}`,
        'htpasswd_encryption = plain',
        'delay = 0', // the default sleeps up to two seconds after every wrong password
        '[rights]',
        'type = owner_only',
        '[storage]',
        `filesystem_folder = ${storage}`,
        '[logging]',
        'level = warning',
        '',
      ].join('\n'),
    );
    const program = await startServer(
      'radicale',
      () => runProgram('radicale', ['--config', config], { cwd: directory }),
      async () => (await statusOfPropfind(`http://127.0.0.1:${port}/`, login)) === 207,
    );
    return { port, stop: () => program.stop(3_000) };
  });
}
