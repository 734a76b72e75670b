import { isEmail } from '../accounts.js';
import { GraphErrorResponse, type MicrosoftUser } from '../microsoft/contract.js';
import { checkBody } from '../microsoft/graph/body.js';
import { findOperation } from '../microsoft/graph/document.js';
import { defectOf } from '../microsoft/graph/graph-endpoint.js';
import { errorResponse } from '../microsoft/graph/graph-error.js';
import { parsePrefer } from '../microsoft/graph/prefer.js';
import { readQuery } from '../microsoft/graph/query.js';
import { aadsts, tokenErrorBody } from '../microsoft/identity/aadsts.js';
import { ALL_SCOPES, canonicalScope, isKnownScope } from '../microsoft/identity/scopes.js';
import { isTenantId } from '../microsoft/identity/tenants.js';
import type { MicrosoftSandbox } from '../microsoft/microsoft-sandbox.js';
import { addressOf } from '../microsoft/users.js';
import { actControl } from './act-control.js';
import { faultControls, limits } from './fault-controls.js';
import { grantControls, requireClient, requireUser, userControls } from './grant-controls.js';
import {
  ControlFault,
  flag,
  integer,
  list,
  nullable,
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
import { get, post, type ControlRoute } from './routes.js';

const address = textLike(isEmail, 'an address');
const tenantId = textLike(isTenantId, 'a UUID in lower case');
const audience = textLike(
  (value) => ['any', 'organizations', 'consumers'].includes(value) || isTenantId(value),
  'any, organizations, consumers or the id of a directory',
);
const methodId = textLike((id) => findOperation(id) !== undefined, 'an operationId, such as list_me_calendars');
const scope: Reader<string> = (value, at) =>
  canonicalScope(textLike((name) => isKnownScope(canonicalScope(name)), 'a scope that Microsoft knows')(value, at));

const userShape = object({
  oid: optional(textLike(isTenantId, 'a UUID in lower case')),
  tid: optional(tenantId),
  email: optional(nullable(address)),
  mail: optional(nullable(text)),
  xmsEdov: optional(flag),
  userPrincipalName: optional(text),
  displayName: optional(text),
  mailboxTimeZone: optional(text),
  kind: optional(oneOf(['work', 'personal'])),
  hasMailbox: optional(flag),
});
const newUser: typeof userShape = (value, at) => {
  const user = userShape(value, at);
  if (user.email != null || user.userPrincipalName !== undefined) return user;
  throw new ControlFault(400, 'Either email or userPrincipalName must be given.');
};

export function microsoftControls(microsoft: MicrosoftSandbox, clock: { nowMs(): number }): ControlRoute[] {
  const userOf = (known: string) => requireUser(microsoft.users, known);
  const { clients, grants } = microsoft.oauth;
  const consents = { clients, grants, userOf, address, scope, allScopes: ALL_SCOPES };
  return [
    post(
      '/microsoft/clients',
      object({ clientId: text, clientSecret: text, redirectUris: list(redirectUri), audience: optional(audience) }),
      ({ audience: whose = 'any', ...client }) => clients.put({ ...client, audience: whose }),
    ),
    ...userControls('/microsoft', microsoft, newUser),

    ...grantControls('/microsoft', consents),
    post(
      '/microsoft/tokens/errors',
      object({
        email: optional(address),
        error: text,
        codes: list(integer(1, 99_999_999)),
        suberror: optional(text),
        status: optional(integer(400, 599)),
        ...limits,
      }),
      ({ email, error, codes, suberror, status = 400, times, skip }) => {
        const rejection = aadsts(error, codes, 'The request was refused.', { suberror });
        const body = tokenErrorBody(rejection, clock.nowMs());
        const match = { kind: 'token' as const, email: email === undefined ? undefined : addressOf(userOf(email)) };
        return { faultId: microsoft.faults.add({ match, action: { type: 'status', status, body }, times, skip }) };
      },
    ),
    post('/microsoft/consent-policy', object({ tid: tenantId, policy: oneOf(['user', 'admin']) }), ({ tid, policy }) =>
      microsoft.directories.setPolicy(tid, policy),
    ),
    post(
      '/microsoft/admin-consent',
      object({ tid: tenantId, clientId: text, scopes: list(scope) }),
      ({ tid, clientId, scopes }) => {
        requireClient(consents, clientId);
        microsoft.directories.consent(tid, clientId, scopes);
      },
    ),

    actControl('/microsoft', {
      ...{ provider: 'Graph', address, methodId, userOf },
      pathParametersOf: (id) => findOperation(id)?.pathParameters,
      async carryOut({ methodId: operationId, query: given, ...call }, note) {
        const operation = findOperation(operationId)!;
        const query = readQuery(operation, given);
        checkBody(operation, call.body);
        // Immutable ids by default, as correct clients use them.
        const prefer = { idtype: 'ImmutableId', ...parsePrefer(call.headers['prefer'] ?? '') };
        const request = { ...call, operationId, query, prefer, clientId: null, scopes: ALL_SCOPES };
        const response = await microsoft.during(note, () => microsoft.graph.handle(request));
        const defect = defectOf(operation, response);
        if (defect !== null) throw new Error(defect);
        return response;
      },
      refusalOf: (error) => (error instanceof GraphErrorResponse ? errorResponse(error, clock.nowMs()) : null),
    }),
    ...faultControls('/microsoft', microsoft.faults, methodId),
    ...mailboxControls(microsoft, userOf),
    notificationControl('/microsoft', microsoft.messages),
  ];
}

function mailboxControls({ graph }: MicrosoftSandbox, userOf: (known: string) => MicrosoftUser): ControlRoute[] {
  const requireSubscription = (id: string, wasThere: boolean): void => {
    if (!wasThere) throw new ControlFault(404, `There is no subscription ${id}.`);
  };
  /** Converts refusals of the calendars to control errors. */
  const refusing = <T>(run: () => T): T => {
    try {
      return run();
    } catch (error) {
      if (error instanceof GraphErrorResponse) throw new ControlFault(error.status, `${error.code}: ${error.message}`);
      throw error;
    }
  };
  return [
    post('/microsoft/delta-tokens/expire', object({ email: optional(address) }), ({ email }) => ({
      expired: graph.expireDeltaTokens(email === undefined ? {} : { email: addressOf(userOf(email)) }),
    })),
    post('/microsoft/meetings', object({ pendingMs: pauseMs, fail: flag }), (behaviour) =>
      graph.setMeetings(behaviour),
    ),
    get('/microsoft/subscriptions', () => graph.subscriptions()),
    post('/microsoft/subscriptions/drop', object({ id: text, tell: flag }), ({ id, tell }) =>
      requireSubscription(id, graph.dropSubscription(id, tell)),
    ),
    post(
      '/microsoft/subscriptions/lifecycle',
      object({ id: text, lifecycleEvent: oneOf(['reauthorizationRequired', 'missed']) }),
      ({ id, lifecycleEvent }) => requireSubscription(id, graph.sendLifecycle(id, lifecycleEvent)),
    ),
    post(
      '/microsoft/invite',
      object({
        email: address,
        calendarId: optional(text),
        subject: text,
        startUtc: text,
        endUtc: text,
        organizer: object({ name: text, address }),
      }),
      ({ email, calendarId = null, ...invitation }) => ({
        iCalUId: refusing(() => graph.invite({ ...invitation, calendarId, email: addressOf(userOf(email)) })),
      }),
    ),
    post(
      '/microsoft/share',
      object({ owner: address, calendarId: optional(text), with: address, canEdit: flag }),
      ({ owner, calendarId = null, with: guest, canEdit }) => ({
        calendarId: refusing(() =>
          graph.share({ owner: addressOf(userOf(owner)), calendarId, with: addressOf(userOf(guest)), canEdit }),
        ),
      }),
    ),
  ];
}
