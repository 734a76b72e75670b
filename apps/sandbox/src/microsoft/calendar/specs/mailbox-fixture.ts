import {
  GraphErrorResponse,
  type GraphResponse,
  type GraphHost,
  type GraphRequest,
  type MicrosoftUser,
} from '../../contract.js';
import { findOperation } from '../../graph/document.js';
import { defectOf } from '../../graph/graph-endpoint.js';
import { Memory } from '../../../state/memory.js';
import { GraphApi } from '../graph-api.js';

export const IDA: MicrosoftUser = {
  oid: 'bbbbbbbb-0000-4000-8000-000000000001',
  tid: 'aaaaaaaa-0000-4000-8000-000000000001',
  email: 'ida.berg@fabrikam.example',
  userPrincipalName: 'ida@fabrikam.example',
  displayName: 'Ida Berg',
  mailboxTimeZone: 'W. Europe Standard Time',
  kind: 'work',
  hasMailbox: true,
};
export const OMAR: MicrosoftUser = {
  ...IDA,
  oid: 'bbbbbbbb-0000-4000-8000-000000000002',
  email: 'omar@fabrikam.example',
  userPrincipalName: 'omar@fabrikam.example',
  displayName: 'Omar Diaz',
};
export const PIA: MicrosoftUser = {
  ...IDA,
  oid: '00000000-0000-0000-1234-56789abcdef0',
  tid: '9188040d-6c67-4c5b-b112-36a304b66dad',
  email: 'pia@outlook.example',
  userPrincipalName: 'pia@outlook.example',
  displayName: 'Pia Sol',
  kind: 'personal',
};
/** An object of another directory, where it happens to have the id that Ida has in hers. */
export const NAMESAKE: MicrosoftUser = {
  ...IDA,
  tid: 'aaaaaaaa-0000-4000-8000-000000000002',
  email: 'ines@contoso.example',
  userPrincipalName: 'ines@contoso.example',
  displayName: 'Ines Roca',
};
export const GUEST: MicrosoftUser = {
  ...IDA,
  oid: 'bbbbbbbb-0000-4000-8000-000000000009',
  email: null,
  userPrincipalName: 'gus_x.example#EXT#@fabrikam.example',
  displayName: 'Gus',
  hasMailbox: false,
};

const PEOPLE = [IDA, OMAR, PIA, NAMESAKE, GUEST];

/** 2026-11-21T09:00:00Z */
export const START_MS = Date.UTC(2026, 10, 21, 9);

export type Json = Record<string, any>; // eslint-disable-line @typescript-eslint/no-explicit-any
type Options = Partial<Pick<GraphRequest, 'clientId' | 'query' | 'body' | 'headers' | 'prefer' | 'path'>>;

/** Mailboxes of some people, and a record of what they tell the world. */
export class MailboxFixture implements GraphHost {
  readonly memory = new Memory();
  readonly api = new GraphApi(this, this.memory);
  readonly notifications: { url: string; body: Json }[] = [];
  readonly validated: string[] = [];
  readonly violations: string[] = [];
  consents = true;
  ms = START_MS;

  constructor() {
    for (const user of PEOPLE) this.api.addUser(user);
  }

  nowMs(): number {
    return this.ms;
  }

  graphUrl(): string {
    return 'https://graph.example';
  }

  findUser(email: string): MicrosoftUser | undefined {
    const address = email.toLowerCase();
    return PEOPLE.find((user) => user.email === address || user.userPrincipalName === address);
  }

  validate(notificationUrl: string): Promise<boolean> {
    this.validated.push(notificationUrl);
    return Promise.resolve(this.consents);
  }

  notify(url: string, body: unknown): void {
    this.notifications.push({ url, body: body as Json });
  }

  violation(message: string): void {
    this.violations.push(message);
  }

  /** Fails when an answer is not what the OpenAPI document says. */
  async call(user: MicrosoftUser, operationId: string, options: Options = {}): Promise<GraphResponse> {
    const blank = { clientId: null, scopes: [], path: {}, query: {}, body: null, headers: {}, prefer: {} };
    const response = await this.api.handle({ ...blank, ...options, user, operationId });
    const defect = defectOf(findOperation(operationId)!, response);
    if (defect !== null) throw new Error(defect);
    return response;
  }

  async body(user: MicrosoftUser, operationId: string, options: Options = {}): Promise<Json> {
    return (await this.call(user, operationId, options)).body as Json;
  }

  /** `404 ErrorItemNotFound`; fails when the request is carried out. */
  async refusal(user: MicrosoftUser, operationId: string, options: Options = {}): Promise<string> {
    try {
      const { status } = await this.call(user, operationId, options);
      return `carried out with ${status}`;
    } catch (error) {
      if (!(error instanceof GraphErrorResponse)) throw error;
      return `${error.status} ${error.code}`;
    }
  }

  create(user: MicrosoftUser, body: Json, options: Options = {}): Promise<Json> {
    return this.body(user, 'create_me_events', { ...options, body });
  }

  get(user: MicrosoftUser, id: string, query: Record<string, string> = {}, prefer = {}): Promise<Json> {
    return this.body(user, 'get_me_events_By_event_id', { path: { 'event-id': id }, query, prefer });
  }

  patch(user: MicrosoftUser, id: string, body: Json, options: Options = {}): Promise<Json> {
    return this.body(user, 'update_me_events_By_event_id', { ...options, path: { 'event-id': id }, body });
  }

  remove(user: MicrosoftUser, id: string): Promise<GraphResponse> {
    return this.call(user, 'delete_me_events_By_event_id', { path: { 'event-id': id } });
  }

  act(user: MicrosoftUser, verb: string, id: string, body: Json | null = null): Promise<GraphResponse> {
    return this.call(user, `${verb}_me_events_By_event_id`, { path: { 'event-id': id }, body });
  }

  /** Events of a window of the default calendar. */
  async view(user: MicrosoftUser, from: string, to: string, query: Record<string, string> = {}): Promise<Json[]> {
    const window = { startDateTime: from, endDateTime: to, $top: '1000', ...query };
    return (await this.body(user, 'list_me_calendarView', { query: window }))['value'] as Json[];
  }

  /** Everything that the default calendar holds. */
  async list(user: MicrosoftUser, query: Record<string, string> = {}): Promise<Json[]> {
    return (await this.body(user, 'list_me_events', { query: { $top: '1000', ...query } }))['value'] as Json[];
  }

  /** Lets a delta run to its end. */
  async delta(user: MicrosoftUser, first: Options): Promise<{ rows: Json[]; token: string }> {
    const rows: Json[] = [];
    for (let options = first; ;) {
      const page = await this.body(user, 'list_me_calendarView_delta', options);
      rows.push(...(page['value'] as Json[]));
      const delta = page['@odata.deltaLink'] as string | undefined;
      if (delta !== undefined) return { rows, token: new URL(delta).searchParams.get('$deltatoken')! };
      const next = new URL(page['@odata.nextLink'] as string).searchParams.get('$skiptoken')!;
      options = { ...options, query: { $skiptoken: next } };
    }
  }
}

export function at(dateTime: string, timeZone = 'UTC'): { dateTime: string; timeZone: string } {
  return { dateTime, timeZone };
}

/** An hour of 1 December 2026, UTC. */
export function hour(start: number): Json {
  const two = (number: number) => String(number).padStart(2, '0');
  return { start: at(`2026-12-01T${two(start)}:00:00`), end: at(`2026-12-01T${two(start + 1)}:00:00`) };
}

/** @param addresses of who is invited */
export function guests(...addresses: (string | null)[]): Json {
  return { attendees: addresses.map((address) => ({ emailAddress: { address }, type: 'required' })) };
}
