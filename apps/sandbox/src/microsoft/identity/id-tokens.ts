import { createHash } from 'node:crypto';
import type { SigningKey } from '../../oauth/signing-key.js';
import type { MicrosoftUser } from '../contract.js';
import { mailOf } from '../users.js';

/** Not the hour that access tokens have. */
const LIFETIME_SECONDS = 3900;

/** https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
export async function signIdToken(
  key: SigningKey,
  about: {
    user: MicrosoftUser;
    clientId: string;
    scopes: ReadonlySet<string>;
    nonce: string | null;
    /** Origin of the identity platform. */
    origin: string;
    nowMs: number;
  },
): Promise<string> {
  const { user, clientId, scopes, nonce, origin } = about;
  const { oid, tid, userPrincipalName, displayName, xmsEdov } = user;
  const mail = mailOf(user);
  const iat = Math.floor(about.nowMs / 1000);
  return key.sign({
    aud: clientId,
    iss: issuerOf(origin, tid),
    iat,
    nbf: iat,
    exp: iat + LIFETIME_SECONDS,
    ...(nonce !== null && { nonce }),
    ...(scopes.has('profile') && { oid, name: displayName, preferred_username: userPrincipalName }),
    ...(scopes.has('email') && mail !== null && { email: mail, ...(xmsEdov !== undefined && { xms_edov: xmsEdov }) }),
    // Another one for each client: whoever takes it for the person's id meets the person twice.
    sub: createHash('sha256').update(`${clientId} ${tid} ${oid}`).digest('base64url'),
    tid,
    ver: '2.0',
  });
}

/** @param tid `{tenantid}` in the discovery documents of all segments that are no directory */
export function issuerOf(origin: string, tid: string): string {
  return `${origin}/${tid}/v2.0`;
}
