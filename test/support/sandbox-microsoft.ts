import type { FaultAction, FaultMatch } from '../../apps/sandbox/src/faults/fault.js';
import type { ListedFault } from '../../apps/sandbox/src/faults/fault-list.js';
import type { JournalEntry, RequestKind, Violation } from '../../apps/sandbox/src/journal.js';
import type { MicrosoftUser } from '../../apps/sandbox/src/microsoft/contract.js';
import { DEFAULT_SCOPES } from '../../libs/providers/microsoft/scopes.js';
import type { Act, ControlResponse, GrantedTokens } from './sandbox.js';

/** What the service asks for by default. */
export const MICROSOFT_SCOPES: string[] = [...DEFAULT_SCOPES];

export interface MicrosoftClient {
  /** A UUID. */
  clientId: string;
  clientSecret: string;
  redirectUris: string[];
  /** Who may sign in with it: `any` (default), `organizations`, `consumers`, or the id of one directory. */
  audience?: string;
}

/** Address of an account: its email or its user principal name. */
type EndpointUrl = string;

export interface TokenFailure {
  /** Whose token requests; absent: everybody's. */
  email?: EndpointUrl;
  error: string;
  /** Numbers of `AADSTS…`, the first one being told in the description. */
  codes: number[];
  suberror?: string;
  /** 400 when absent. */
  status?: number;
  times?: number;
  skip?: number;
}

/** One request to the control API. @throws Error that tells the refusal */
export type Control = <T = any>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: unknown) => Promise<T>;

/** The sandbox's Microsoft half, as its control API steers it. */
export class MicrosoftSandboxControls {
  constructor(
    /** Identity platform and Graph. */
    readonly url: string,
    private readonly control: Control,
  ) {}

  async addClient(client: MicrosoftClient): Promise<void> {
    await this.control('POST', '/microsoft/clients', client);
  }

  async deleteClient(clientId: string): Promise<void> {
    await this.control('DELETE', `/microsoft/clients/${encodeURIComponent(clientId)}`);
  }

  /**
   * What is left out is made up: a work account of the domain's directory, or a personal one under outlook, hotmail and
   * live domains. `email` and `userPrincipalName` are each other's default; one of them must be given.
   */
  async addUser(user: Partial<MicrosoftUser>): Promise<MicrosoftUser> {
    return this.control('POST', '/microsoft/users', user);
  }

  async users(): Promise<MicrosoftUser[]> {
    return this.control('GET', '/microsoft/users');
  }

  /** The account is deleted: its tokens die. */
  async removeUser(address: EndpointUrl): Promise<void> {
    await this.control('DELETE', `/microsoft/users/${encodeURIComponent(address)}`);
  }

  /** As if the user had consented. */
  async grant(email: EndpointUrl, clientId: string, scopes: string[] = MICROSOFT_SCOPES): Promise<GrantedTokens> {
    return this.control('POST', '/microsoft/grants', { email, clientId, scopes });
  }

  /** Refresh tokens end with AADSTS50173, access tokens with a 401; of all clients without one. */
  async revoke(email: EndpointUrl, clientId?: string): Promise<void> {
    await this.control('POST', '/microsoft/grants/revoke', { email, clientId });
  }

  /** The consent to these scopes is taken back. */
  async unlink(email: EndpointUrl, clientId: string, scopes: string[]): Promise<void> {
    await this.control('POST', '/microsoft/grants/unlink', { email, clientId, scopes });
  }

  async expireAccessTokens(email?: EndpointUrl): Promise<void> {
    await this.control('POST', '/microsoft/tokens/expire', { email });
  }

  /** The token endpoint refuses in these words. @returns id of the fault */
  async failTokens(failure: TokenFailure): Promise<string> {
    const { faultId } = await this.control<{ faultId: string }>('POST', '/microsoft/tokens/errors', failure);
    return faultId;
  }

  /** A call of Graph by the user, past the client. `methodId` is the operationId of the OpenAPI document. */
  async act<T = any>(act: Act): Promise<ControlResponse<T>> {
    return this.control('POST', '/microsoft/act', act);
  }

  /** A part of a batch meets only the faults that answer it: `status`, `delay`, `replace`. */
  async fault(match: FaultMatch, action: FaultAction, limits: { times?: number; skip?: number } = {}): Promise<string> {
    const { faultId } = await this.control<{ faultId: string }>('POST', '/microsoft/faults', {
      match,
      action,
      ...limits,
    });
    return faultId;
  }

  async faults(): Promise<ListedFault[]> {
    return this.control('GET', '/microsoft/faults');
  }

  async clearFaults(): Promise<void> {
    await this.control('DELETE', '/microsoft/faults');
  }

  async violations(): Promise<Violation[]> {
    return this.control('GET', '/microsoft/violations');
  }

  async clearViolations(): Promise<void> {
    await this.control('DELETE', '/microsoft/violations');
  }

  /** In the order of arrival; parts of batches after the batch. */
  async requests(match: { kind?: RequestKind; methodId?: string } = {}): Promise<JournalEntry[]> {
    const requests = await this.control<JournalEntry[]>('GET', '/microsoft/requests');
    return requests.filter(
      ({ kind, methodId }) =>
        (match.kind === undefined || match.kind === kind) &&
        (match.methodId === undefined || match.methodId === methodId),
    );
  }

  async clearRequests(): Promise<void> {
    await this.control('DELETE', '/microsoft/requests');
  }

  /** Delta and skip tokens given out so far are answered with 410. */
  async expireDeltaTokens(match: { email?: EndpointUrl } = {}): Promise<void> {
    await this.control('POST', '/microsoft/delta-tokens/expire', match);
  }

  /** Join links of new meetings come so much later; `fail`: never. */
  async meetings(behaviour: { pendingMs: number; fail: boolean }): Promise<void> {
    await this.control('POST', '/microsoft/meetings', behaviour);
  }

  async notifications(behaviour: {
    mode: 'deliver' | 'drop' | 'duplicate';
    everyNth?: number;
    delayMs?: number;
  }): Promise<void> {
    await this.control('POST', '/microsoft/notifications', behaviour);
  }

  async subscriptions(): Promise<
    { id: string; resource: string; notificationUrl: string; email: string | null; expirationMs: number }[]
  > {
    return this.control('GET', '/microsoft/subscriptions');
  }

  /** @param tell whether a `subscriptionRemoved` is sent */
  async dropSubscription(id: string, tell: boolean): Promise<void> {
    await this.control('POST', '/microsoft/subscriptions/drop', { id, tell });
  }

  async sendLifecycle(id: string, lifecycleEvent: 'reauthorizationRequired' | 'missed'): Promise<void> {
    await this.control('POST', '/microsoft/subscriptions/lifecycle', { id, lifecycleEvent });
  }

  /** An invitation of somebody outside of the sandbox. @returns its iCalUId */
  async invite(invitation: {
    email: EndpointUrl;
    calendarId?: string;
    subject: string;
    startUtc: string;
    endUtc: string;
    organizer: { name: string; address: string };
  }): Promise<string> {
    const { iCalUId } = await this.control<{ iCalUId: string }>('POST', '/microsoft/invite', invitation);
    return iCalUId;
  }

  /** Lists a calendar (the default one without an id) among another user's. @returns the id under which it is seen */
  async share(share: {
    owner: EndpointUrl;
    calendarId?: string;
    with: EndpointUrl;
    canEdit: boolean;
  }): Promise<string> {
    const { calendarId } = await this.control<{ calendarId: string }>('POST', '/microsoft/share', share);
    return calendarId;
  }

  /** Whether users of a directory may consent by themselves, or an administrator has to. */
  async consentPolicy(tid: string, policy: 'user' | 'admin'): Promise<void> {
    await this.control('POST', '/microsoft/consent-policy', { tid, policy });
  }

  /** An administrator consents for everybody of a directory. */
  async adminConsent(tid: string, clientId: string, scopes: string[] = MICROSOFT_SCOPES): Promise<void> {
    await this.control('POST', '/microsoft/admin-consent', { tid, clientId, scopes });
  }
}
