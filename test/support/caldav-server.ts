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
