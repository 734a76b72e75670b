import { createHash, randomUUID } from 'node:crypto';
import type { OAuthClient } from '../../oauth/clients.js';
import type { Dialect, Issue } from '../../oauth/dialect.js';
import { ACCESS_TOKEN_SECONDS } from '../../oauth/grants.js';
import type { SigningKey } from '../../oauth/signing-key.js';
import { faultPage } from '../../pages/layout.js';
import type { MicrosoftUser } from '../contract.js';
import { approvalPage, consentPage } from '../pages/consent.js';
import { addressOf, mailOf, type MicrosoftUsers } from '../users.js';
import { aadsts, descriptionOf, refuse, tokenResponse, tokenErrorBody } from './aadsts.js';
import { echoedScopes, isWorkOnly, readScopes } from './scopes.js';
import { admits, type Directories } from './tenants.js';

const DAY_MS = 86_400_000;
/** Differs from the hour of access tokens. */
const ID_TOKEN_SECONDS = 3900;

/** An app registration; its id is a UUID. */
export interface MicrosoftClient extends OAuthClient {
  /** Accounts that may sign in: `any`, `organizations`, `consumers`, or a directory id. */
  audience: string;
}

/** https://learn.microsoft.com/entra/identity-platform/v2-oauth2-auth-code-flow */
export function microsoftDialect(deps: {
  clock: { nowMs(): number };
  users: MicrosoftUsers;
  directories: Directories;
  signingKey: SigningKey;
  /** Public origin of the identity platform. */
  origin: () => string;
  createUser: (address: string) => MicrosoftUser;
}): Dialect<MicrosoftUser, MicrosoftClient> {
  const { clock, users, directories, signingKey, origin, createUser } = deps;
  return {
    ...{ users, createUser, refuse, readScopes, admits, tokenResponse, approvalPage },
    paths: { account: '/signin/account', consent: '/signin/consent', approval: '/signin/approval' },
    cookieName: 'microsoft_session',
    codePrefix: '1.AXk',
    // https://learn.microsoft.com/entra/identity-platform/refresh-tokens
    tokens: {
      accessTokenPrefix: 'EwB4',
      refreshTokenPrefix: '1.AXk',
      unusedForMs: 90 * DAY_MS,
      liveRefreshTokens: Infinity,
    },

    parameters: new Set([
      ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce'],
      ...['prompt', 'login_hint', 'domain_hint', 'code_challenge', 'code_challenge_method'],
    ]),
    values: {
      response_mode: /^query$/,
      prompt: /^(?:login|none|consent|select_account)$/,
      code_challenge_method: /^(?:S256|plain)$/,
    },
    returnsErrors: true,
    tokenParameters: ['scope'],
    checkClient({ clientId, audience }, tenant) {
      if (audience === 'consumers' && tenant !== 'consumers') {
        const message = `Application '${clientId}' is configured for use by Microsoft Account users only. Please use the /consumers endpoint.`;
        throw aadsts('invalid_request', [9002331], message);
      }
      if (!['any', 'organizations', 'consumers', tenant].includes(audience)) {
        const message = `Application '${clientId}' is not configured as a multi-tenant application. Use a tenant-specific endpoint or configure the application to be multi-tenant.`;
        throw aadsts('invalid_request', [50194], message);
      }
    },

    findHinted: (hint) => users.find(hint),
    shown: (user) => ({ name: user.displayName, address: addressOf(user) }),
    checkUser({ tenant, scopes }, user, { clientId, audience }) {
      if (!admits(tenant, user) || !admits(audience, user)) {
        const message = `User account '${addressOf(user)}' does not exist in tenant '${tenant}' and cannot access the application '${clientId}' in that tenant.`;
        throw aadsts('invalid_request', [50020], message, { isReturned: false });
      }
      const rejected = user.kind === 'personal' ? scopes.filter(isWorkOnly) : [];
      if (rejected.length === 0) return;
      const message = `The scope '${rejected.join(' ')}' isn't valid for personal Microsoft accounts.`;
      throw aadsts('invalid_scope', [70011], message);
    },
    asksAgain: ({ prompt }) => prompt.has('select_account') || prompt.has('login'),
    grantedByOthers: ({ tid }, clientId) => directories.consentedTo(tid, clientId),
    needsApproval: ({ kind, tid }) => kind === 'work' && directories.policyOf(tid) === 'admin',
    consentPage: (facts, { scopes }) => consentPage({ ...facts, scopes }),
    faultPage: (rejection) => faultPage('Sorry, but we’re having trouble signing you in.', descriptionOf(rejection)),
    codeResponse: () => ({ session_state: randomUUID() }),
    errorResponse: (rejection) => ({ error: rejection.error, error_description: descriptionOf(rejection) }),

    isOffline: (scopes) => scopes.has('offline_access'),
    renewal: () => 'add',
    checkGrant({ user, isRevoked }) {
      const known = users.find(addressOf(user));
      if (known?.oid !== user.oid || known.tid !== user.tid) {
        const message = `The user account ${addressOf(user)} does not exist in the directory.`;
        throw aadsts('invalid_grant', [50034], message);
      }
      if (isRevoked) throw refuse('revokedGrant');
    },
    checkRefresh(tenant, { grant: { user } }) {
      if (admits(tenant, user)) return;
      const message = `The user account does not exist in tenant '${tenant}'.`;
      throw aadsts('invalid_grant', [50020], message, { isViolation: true });
    },
    failsWithoutScope: true,
    scopeText: echoedScopes,
    moreFields: () => ({ ext_expires_in: ACCESS_TOKEN_SECONDS }),
    idToken: (issue) => signingKey.sign(claimsOf(issue, origin(), clock.nowMs())),
    errorBody: (rejection) => tokenErrorBody(rejection, clock.nowMs()),
  };
}

/** https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
function claimsOf({ grant, scopes, request }: Issue<MicrosoftUser>, origin: string, nowMs: number) {
  const { user, clientId } = grant;
  const { oid, tid, userPrincipalName, displayName, xmsEdov } = user;
  const mail = mailOf(user);
  const iat = Math.floor(nowMs / 1000);
  return {
    aud: clientId,
    iss: issuerOf(origin, tid),
    iat,
    nbf: iat,
    exp: iat + ID_TOKEN_SECONDS,
    ...(request !== null && request.nonce !== null && { nonce: request.nonce }),
    ...(scopes.has('profile') && { oid, name: displayName, preferred_username: userPrincipalName }),
    ...(scopes.has('email') && mail !== null && { email: mail, ...(xmsEdov !== undefined && { xms_edov: xmsEdov }) }),
    // Differs per client, so a client that takes it for the person's id sees the same person twice.
    sub: createHash('sha256').update(`${clientId} ${tid} ${oid}`).digest('base64url'),
    tid,
    ver: '2.0',
  };
}

/** @param tid `{tenantid}` in discovery documents of segments that are no directory */
export function issuerOf(origin: string, tid: string): string {
  return `${origin}/${tid}/v2.0`;
}
