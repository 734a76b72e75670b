import { isEmail } from '../accounts.js';
import { checkBody } from '../google/api/body.js';
import { CALENDAR_SCOPES, findMethod } from '../google/api/discovery.js';
import { errorResponse } from '../google/api/google-error.js';
import { readParameters } from '../google/api/parameters.js';
import { GoogleErrorResponse } from '../google/contract.js';
import type { GoogleSandbox } from '../google/google-sandbox.js';
import { canonicalScope, isKnownScope } from '../google/oauth/scopes.js';
import { tzDatabaseName } from '../time-zones.js';
import { actControl } from './act-control.js';
import { faultControls } from './fault-controls.js';
import { grantControls, requireUser, userControls } from './grant-controls.js';
import {
  ControlFault,
  flag,
  list,
  object,
  oneOf,
  optional,
  pauseMs,
  redirectUri,
  text,
  textLike,
  type Reader,
} from './input.js';
import { notificationControl } from './notification-controls.js';
import { get, post, remove, type ControlRoute } from './routes.js';

const email = textLike(isEmail, 'an email address');
const timeZone = textLike((name) => tzDatabaseName(name) !== null, 'an IANA time zone');
const scope: Reader<string> = (value, at) =>
  canonicalScope(textLike((name) => isKnownScope(canonicalScope(name)), 'a scope that Google knows')(value, at));

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

    ...userControls(
      '/google',
      google,
      object({
        email,
        name: optional(text),
        sub: optional(textLike((sub) => /^\d{1,255}$/.test(sub), 'decimal digits')),
        timeZone: optional(timeZone),
        workspace: optional(flag),
      }),
    ),

    ...grantControls('/google', consents),

    actControl('/google', {
      ...{ provider: 'Google', address: email, methodId: text, userOf },
      pathParametersOf(id) {
        const method = findMethod(id);
        const all = Object.entries(method?.parameters ?? {});
        return method && all.flatMap(([name, { location }]) => (location === 'path' ? [name] : []));
      },
      carryOut({ query: given, ...call }, note) {
        const method = findMethod(call.methodId)!;
        const { query } = readParameters(method, given);
        if (method.request !== undefined) checkBody(method, call.body);
        else if (call.body !== null) throw new ControlFault(400, `${call.methodId} takes no body.`);
        const scopes = [...CALENDAR_SCOPES.keys()];
        return google.during(note, () => google.calendar.handle({ ...call, query, scopes }));
      },
      refusalOf: (error) => (error instanceof GoogleErrorResponse ? errorResponse(error) : null),
    }),

    ...faultControls(
      '/google',
      google.faults,
      textLike((id) => findMethod(id) !== undefined, 'the id of a method, such as calendar.events.list'),
    ),

    post('/google/sync-tokens/expire', object({ email: optional(email), calendarId: optional(text) }), (match) => ({
      expired: google.calendar.expireSyncTokens(match),
    })),
    post('/google/page-tokens/expire', object({}), () => google.calendar.expirePageTokens()),
    post('/google/conference', object({ pendingMs: pauseMs, fail: flag }), (behaviour) =>
      google.calendar.setConference(behaviour),
    ),

    get('/google/channels', () => google.calendar.channels()),
    remove('/google/channels/{id}', ({ id = '' }) => {
      if (!google.calendar.dropChannel(id)) throw new ControlFault(404, `There is no channel ${id}.`);
    }),
    notificationControl('/google', google.messages),
  ];
}
