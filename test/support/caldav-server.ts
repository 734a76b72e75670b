import { temporaryDirectory } from './processes.js';

/** A real CalDAV server on loopback, started for a test. */
export interface CalDavServer {
  readonly name: 'radicale' | 'sabre' | 'xandikos';
  /** `http://127.0.0.1:<port>/`, what a user would type as serverUrl. */
  readonly url: string;
  /** `127.0.0.1:<port>`, what EGRESS_ALLOW needs. */
  readonly authority: string;
  readonly username: string;
  readonly password: string;
  stop(): Promise<void>;
}

export interface CalDavLogin {
  username: string;
  password: string;
}

export const ALICE: CalDavLogin = { username: 'alice@example.test', password: 'correct horse battery' };

export function basicAuthorization({ username, password }: CalDavLogin): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

/**
 * A server with a directory of its own, which goes when the server is stopped or cannot be started.
 * @param start in that directory; where it listens then, and how it ends
 */
export async function startCalDavServer(
  name: CalDavServer['name'],
  login: CalDavLogin,
  start: (directory: string) => Promise<{ port: number; stop(): Promise<unknown> }>,
): Promise<CalDavServer> {
  const directory = await temporaryDirectory(name);
  try {
    const { port, stop } = await start(directory.path);
    const authority = `127.0.0.1:${port}`;
    return {
      name,
      url: `http://${authority}/`,
      authority,
      ...login,
      async stop() {
        await stop();
        await directory.remove();
      },
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}

/** Status of a PROPFIND of a server that may not be there yet. @param login none: the server knows no logins */
export async function statusOfPropfind(url: string, login?: CalDavLogin): Promise<number> {
  const headers = { depth: '0', ...(login !== undefined && { authorization: basicAuthorization(login) }) };
  const response = await fetch(url, { method: 'PROPFIND', headers });
  await response.arrayBuffer();
  return response.status;
}
