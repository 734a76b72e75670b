import { AccountTaken, isEmail } from '../accounts.js';
import { checkBody } from '../google/api/body.js';
import { CALENDAR_SCOPES, findMethod } from '../google/api/discovery.js';
import { refusalAnswer } from '../google/api/google-error.js';
import { readParameters } from '../google/api/parameters.js';
import { GoogleRefusal, type CalendarApiAnswer, type GoogleUser } from '../google/contract.js';
import type { GoogleSandbox } from '../google/google-sandbox.js';
import { canonicalScope, isKnownScope } from '../google/oauth/scopes.js';
import { tzDatabaseName } from '../time-zones.js';
import { faultControls } from './fault-controls.js';
import { grantControls, requireUser } from './grant-controls.js';
import {
  anything,
  ControlFault,
  flag,
  integer,
  list,
  map,
  object,
  oneOf,
  optional,
  redirectUri,
  text,
  textLike,
  type Reader,
} from './input.js';
import { notificationControl } from './notification-controls.js';
import { get, post, remove, type ControlRoute } from './routes.js';

const HOUR_MS = 3_600_000;

const email = textLike(isEmail, 'an email address');
const timeZone = textLike((name) => tzDatabaseName(name) !== null, 'an IANA time zone');
const scope: Reader<string> = (value, at) =>
  canonicalScope(textLike((name) => isKnownScope(canonicalScope(name)), 'a scope that Google knows')(value, at));

/** Clients, users, their consents, and how Google behaves. */
export function googleControls(google: GoogleSandbox): ControlRoute[] {
  const userOf = (address: string) => requireUser(google.users, address);
  const { clients, grants } = google.oauth;
  const consents = { clients, grants, userOf, address: email, scope, allScopes: [...CALENDAR_SCOPES.keys()] };
  return [
    post(
      '/google/clients',
      object({
        clientId: text,
        clientSecret: text,
        redirectUris: list(redirectUri),
        publishing: optional(oneOf(['production', 'testing'])),
        rotateRefreshTokens: optional(flag),
      }),
      ({ publishing = 'production', rotateRefreshTokens = false, ...client }) =>
        clients.put({ ...client, publishing, rotateRefreshTokens }),
    ),

    get('/google/users', () => google.users.all()),
    post(
      '/google/users',
      object({
        email,
        name: optional(text),
        sub: optional(textLike((sub) => /^\d{1,255}$/.test(sub), 'decimal digits')),
        timeZone: optional(timeZone),
        workspace: optional(flag),
      }),
      (user) => {
        try {
          return google.addUser(user);
        } catch (error) {
          if (error instanceof AccountTaken) throw new ControlFault(409, `${error.message}.`);
          throw error;
        }
      },
    ),
    remove('/google/users/:email', ({ email: address = '' }) => {
      if (!google.removeUser(address)) throw new ControlFault(404, `${address} has no account.`);
    }),

    ...grantControls('/google', consents),

    post(
      '/google/act',
      object({
        email,
        methodId: text,
        path: optional(map(text)),
        query: optional(map(anything)),
        body: optional(map(anything)),
        headers: optional(map(text)),
      }),
      (input) => act(google, { ...input, user: userOf(input.email) }),
    ),

    ...faultControls(
      '/google',
      google.faults,
      textLike((id) => findMethod(id) !== undefined, 'the id of a method, such as calendar.events.list'),
    ),

    post('/google/sync-tokens/expire', object({ email: optional(email), calendarId: optional(text) }), (match) => ({
      expired: google.calendar.expireSyncTokens(match),
    })),
    post('/google/page-tokens/expire', object({}), () => google.calendar.expirePageTokens()),
    post('/google/conference', object({ pendingMs: integer(0, HOUR_MS), fail: flag }), (behaviour) =>
      google.calendar.setConference(behaviour),
    ),

    get('/google/channels', () => google.calendar.channels()),
    remove('/google/channels/:id', ({ id = '' }) => {
      if (!google.calendar.dropChannel(id)) throw new ControlFault(404, `There is no channel ${id}.`);
    }),
    notificationControl('/google', google.messages),
  ];
}

/** A call of the Calendar API by the user, with every scope; what Google would refuse comes back as an answer. */
function act(
  google: GoogleSandbox,
  {
    user,
    methodId,
    ...input
  }: {
    user: GoogleUser;
    methodId: string;
    path?: Record<string, string>;
    query?: Record<string, unknown>;
    body?: Record<string, unknown>;
    headers?: Record<string, string>;
  },
): { status: number; body: unknown } {
  const method = findMethod(methodId);
  if (method === undefined) throw new ControlFault(400, `methodId ${methodId} is unknown.`);
  const { path = {}, headers = {}, body = null } = input;
  const wanted = Object.entries(method.parameters ?? {}).filter(([, { location }]) => location === 'path');
  const names = wanted.map(([name]) => name).sort();
  if (Object.keys(path).sort().join() !== names.join()) {
    throw new ControlFault(400, `path must have ${names.length === 0 ? 'nothing' : names.join(', ')}.`);
  }
  const objections: string[] = [];
  let answer: CalendarApiAnswer;
  try {
    const { query } = readParameters(method, searchParameters(input.query ?? {}));
    if (method.request !== undefined) checkBody(method, body);
    else if (body !== null) throw new ControlFault(400, `${methodId} takes no body.`);
    answer = google.during(
      (message) => objections.push(message),
      () =>
        google.calendar.handle({
          ...{ methodId, user, path, query, body },
          scopes: [...CALENDAR_SCOPES.keys()],
          headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
        }),
    );
  } catch (error) {
    if (!(error instanceof GoogleRefusal)) throw error;
    const { status, body: refusal } = refusalAnswer(error);
    return { status, body: JSON.parse(refusal.toString('utf8')) };
  }
  if (objections.length > 0) throw new ControlFault(400, `Done, but not as Google wants it: ${objections.join('; ')}.`);
  return { status: answer.status, body: answer.body };
}

function searchParameters(query: Record<string, unknown>): URLSearchParams {
  return new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((item) => [name, String(item)]),
    ),
  );
}
