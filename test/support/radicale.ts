import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ALICE, basicAuthorization, type CalDavLogin, type CalDavServer } from './caldav-server.js';
import { freePort, runProgram, startServer, temporaryDirectory } from './processes.js';

/**
 * Radicale (Debian 3.1.8) with a plain htpasswd file and its own storage. It has no calendars: create them with
 * MKCALENDAR below `/<username>/`.
 * @param others logins besides the one of the returned server
 */
export async function startRadicale(login: CalDavLogin = ALICE, others: CalDavLogin[] = []): Promise<CalDavServer> {
  const directory = await temporaryDirectory('radicale');
  try {
    const port = await freePort();
    const authority = `127.0.0.1:${port}`;
    const config = join(directory.path, 'config');
    const users = join(directory.path, 'users');
    const storage = join(directory.path, 'collections');
    await mkdir(storage);
    await writeFile(users, [login, ...others].map(({ username, password }) => `${username}:${password}\n`).join(''));
    await writeFile(
      config,
      [
        '[server]',
        `hosts = ${authority}`,
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
    const url = `http://${authority}/`;
    const program = await startServer(
      'radicale',
      () => runProgram('radicale', ['--config', config], { cwd: directory.path }),
      async () => {
        const answer = await fetch(url, {
          method: 'PROPFIND',
          headers: { authorization: basicAuthorization(login), depth: '0' },
        });
        await answer.arrayBuffer();
        return answer.status === 207;
      },
    );
    return {
      name: 'radicale',
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
