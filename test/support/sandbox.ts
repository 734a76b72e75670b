import type { FaultAction, FaultMatch } from '../../apps/sandbox/src/faults/fault.js';
import type { ListedFault } from '../../apps/sandbox/src/faults/fault-list.js';
import type { GoogleUser } from '../../apps/sandbox/src/google/contract.js';
import type { JournalEntry, RequestKind, Violation } from '../../apps/sandbox/src/journal.js';
import { entryPoint, NODE, ROOT } from './entry-points.js';
import { KeptProcess } from './kept-process.js';
import { MicrosoftSandboxControls } from './sandbox-microsoft.js';
import { eventually, runProgram, type RunningProgram } from './processes.js';

const SCOPE_PREFIX = 'https://www.googleapis.com/auth/';

/** One checkbox on the consent page, and everything that the Calendar API has. */
export const FULL_SCOPES = ['openid', 'email', `${SCOPE_PREFIX}calendar`];

/** Two boxes to tick. */
export const GRANULAR_SCOPES = [
  'openid',
  'email',
  `${SCOPE_PREFIX}calendar.calendarlist`,
  `${SCOPE_PREFIX}calendar.events`,
];

export interface SandboxClient {
  clientId: string;
  clientSecret: string;
  redirectUris: string[];
  publishing?: 'production' | 'testing';
  rotateRefreshTokens?: boolean;
}

export interface GrantedTokens {
  accessToken: string;
  refreshToken: string;
  /** Seconds. */
  expiresIn: number;
}

export interface Act {
  email: string;
  methodId: string;
  path?: Record<string, string>;
  query?: Record<string, string | number | boolean | string[]>;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface SandboxChannel {
  id: string;
  address: string;
  calendarId: string | null;
  email: string;
  expirationMs: number;
}

/** What `POST` to the control API answered. */
export interface ControlResponse<T = any> {
  status: number;
  body: T;
}

function environment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG } = process.env;
  return { PATH, HOME, LANG, SANDBOX_GOOGLE_PORT: '0', SANDBOX_MICROSOFT_PORT: '0', SANDBOX_CONTROL_PORT: '0' };
}

/** The sandbox's process, on ports of its own. */
export class Sandbox {
  /** Users, tokens and behaviour of the Microsoft half. */
  readonly microsoft: MicrosoftSandboxControls;

  private constructor(
    readonly googleUrl: string,
    readonly microsoftUrl: string,
    readonly controlUrl: string,
    readonly program: RunningProgram,
  ) {
    this.microsoft = new MicrosoftSandboxControls(microsoftUrl, (method, path, body) => this.#done(method, path, body));
  }

  static async start(settings: NodeJS.ProcessEnv = {}): Promise<Sandbox> {
    const program = runProgram(NODE, [entryPoint('sandbox')], { cwd: ROOT, env: { ...environment(), ...settings } });
    let ended = false;
    program.exited.then(
      () => (ended = true),
      () => (ended = true),
    );
    const line = await eventually(
      'the sandbox says where it is',
      () => {
        if (program.stdout().includes('\n')) return program.stdout();
        return ended ? '' : undefined;
      },
      { everyMs: 20 },
    );
    if (line === '') throw new Error(`the sandbox did not start: ${program.stderr()}`);
    return Sandbox.at(line, program);
  }

  /** The one that all suites of a worker of Jest share, as if it had just been started. */
  static async join(): Promise<Sandbox> {
    const kept = KeptProcess.start('sandbox', [NODE, entryPoint('sandbox')], environment());
    const line = await eventually('the shared sandbox says where it is', () => kept.firstLine(), { everyMs: 20 });
    const sandbox = Sandbox.at(line, kept.program());
    await sandbox.reset();
    return sandbox;
  }

  private static at(line: string, program: RunningProgram): Sandbox {
    const { googleUrl, microsoftUrl, controlUrl } = JSON.parse(line) as Record<
      'googleUrl' | 'microsoftUrl' | 'controlUrl',
      string
    >;
    return new Sandbox(googleUrl, microsoftUrl, controlUrl, program);
  }

  /** Points the service at the sandbox. */
  get env(): NodeJS.ProcessEnv {
    return {
      GOOGLE_API_URL: this.googleUrl,
      GOOGLE_OAUTH_URL: this.googleUrl,
      GOOGLE_TOKEN_URL: this.googleUrl,
      MICROSOFT_GRAPH_URL: this.microsoftUrl,
      MICROSOFT_LOGIN_URL: this.microsoftUrl,
    };
  }

  async stop(): Promise<void> {
    await this.program.stop();
  }

  /** One request to the control API, whatever comes of it. */
  async control<T = any>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<ControlResponse<T>> {
    const response = await fetch(`${this.controlUrl}${path}`, {
      method,
      ...(body !== undefined && {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    });
    return { status: response.status, body: (await response.json()) as T };
  }

  /** Back to how it started. */
  async reset(): Promise<void> {
    await this.#done('POST', '/reset');
  }

  async addClient(client: SandboxClient): Promise<void> {
    await this.#done('POST', '/google/clients', client);
  }

  async deleteClient(clientId: string): Promise<void> {
    await this.#done('DELETE', `/google/clients/${encodeURIComponent(clientId)}`);
  }

  async addUser(user: Pick<GoogleUser, 'email'> & Partial<GoogleUser>): Promise<GoogleUser> {
    return this.#done('POST', '/google/users', user);
  }

  async users(): Promise<GoogleUser[]> {
    return this.#done('GET', '/google/users');
  }

  /** The account is deleted: its tokens die. */
  async removeUser(email: string): Promise<void> {
    await this.#done('DELETE', `/google/users/${encodeURIComponent(email)}`);
  }

  /** As if the user had consented. */
  async grant(email: string, clientId: string, scopes: string[] = FULL_SCOPES): Promise<GrantedTokens> {
    return this.#done('POST', '/google/grants', { email, clientId, scopes });
  }

  /** The user takes the client's access away; all clients' without one. */
  async revoke(email: string, clientId?: string): Promise<void> {
    await this.#done('POST', '/google/grants/revoke', { email, clientId });
  }

  /** The user keeps the client, but without these scopes. */
  async unlink(email: string, clientId: string, scopes: string[]): Promise<void> {
    await this.#done('POST', '/google/grants/unlink', { email, clientId, scopes });
  }

  async expireAccessTokens(email?: string): Promise<void> {
    await this.#done('POST', '/google/tokens/expire', { email });
  }

  /** A call of the Calendar API by the user, past the client. */
  async act<T = any>(act: Act): Promise<ControlResponse<T>> {
    return this.#done('POST', '/google/act', act);
  }

  async fault(match: FaultMatch, action: FaultAction, limits: { times?: number; skip?: number } = {}): Promise<string> {
    const { faultId } = await this.#done<{ faultId: string }>('POST', '/google/faults', { match, action, ...limits });
    return faultId;
  }

  async faults(): Promise<ListedFault[]> {
    return this.#done('GET', '/google/faults');
  }

  async clearFaults(): Promise<void> {
    await this.#done('DELETE', '/google/faults');
  }

  async violations(): Promise<Violation[]> {
    return this.#done('GET', '/violations');
  }

  async clearViolations(): Promise<void> {
    await this.#done('DELETE', '/violations');
  }

  /** @throws Error that tells each violation, and forgets them */
  async expectNoViolations(): Promise<void> {
    const violations = await this.violations();
    await this.clearViolations();
    if (violations.length === 0) return;
    const violated = violations.map(({ methodId, message, request }) => `${methodId ?? ''} ${message}: ${request}`);
    throw new Error(`requests that no correct client sends:\n${violated.join('\n')}`);
  }

  /** To the Google half, in the order of arrival. */
  async requests(match: { kind?: RequestKind; methodId?: string } = {}): Promise<JournalEntry[]> {
    const requests = await this.#done<JournalEntry[]>('GET', '/google/requests');
    return requests.filter(
      ({ kind, methodId }) =>
        (match.kind === undefined || match.kind === kind) &&
        (match.methodId === undefined || match.methodId === methodId),
    );
  }

  async clearRequests(): Promise<void> {
    await this.#done('DELETE', '/google/requests');
  }

  async advanceClock(advanceMs: number): Promise<void> {
    await this.#done('POST', '/clock', { advanceMs });
  }

  async expireSyncTokens(match: { email?: string; calendarId?: string } = {}): Promise<void> {
    await this.#done('POST', '/google/sync-tokens/expire', match);
  }

  async expirePageTokens(): Promise<void> {
    await this.#done('POST', '/google/page-tokens/expire');
  }

  async conference(behaviour: { pendingMs: number; fail: boolean }): Promise<void> {
    await this.#done('POST', '/google/conference', behaviour);
  }

  async notifications(behaviour: {
    mode: 'deliver' | 'drop' | 'duplicate';
    everyNth?: number;
    delayMs?: number;
  }): Promise<void> {
    await this.#done('POST', '/google/notifications', behaviour);
  }

  async channels(): Promise<SandboxChannel[]> {
    return this.#done('GET', '/google/channels');
  }

  async dropChannel(id: string): Promise<void> {
    await this.#done('DELETE', `/google/channels/${encodeURIComponent(id)}`);
  }

  async #done<T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
    const response = await this.control<T & { error?: string }>(method, path, body);
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${response.body.error}`);
    return response.body;
  }
}

/** The sandbox that all suites of a worker of Jest share, as if it had just been started. */
export async function joinSandbox(): Promise<Sandbox> {
  return Sandbox.join();
}

/** @param settings environment on top of what it needs, e.g. `SANDBOX_SEED: 'demo'` */
export async function startSandbox(settings: NodeJS.ProcessEnv = {}): Promise<Sandbox> {
  return Sandbox.start(settings);
}
