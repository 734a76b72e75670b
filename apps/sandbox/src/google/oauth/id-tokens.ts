import { createHash } from 'node:crypto';
import type { SigningKey } from '../../oauth/signing-key.js';
import type { GoogleUser } from '../contract.js';
import { allowsEmail, allowsProfile } from './scopes.js';

export const ISSUER = 'https://accounts.google.com';
const LIFETIME_SECONDS = 3600;

/** Makes id_tokens (OpenID Connect Core §2). */
export class IdTokens {
  constructor(
    private readonly clock: { nowMs(): number },
    private readonly key: SigningKey,
  ) {}

  async sign(about: {
    user: GoogleUser;
    clientId: string;
    scopes: ReadonlySet<string>;
    accessToken: string;
    nonce: string | null;
  }): Promise<string> {
    const iat = Math.floor(this.clock.nowMs() / 1000);
    return this.key.sign({
      azp: about.clientId,
      ...identityClaims(about.user, about.scopes),
      at_hash: createHash('sha256').update(about.accessToken).digest().subarray(0, 16).toString('base64url'),
      ...(about.nonce !== null && { nonce: about.nonce }),
      iss: ISSUER,
      aud: about.clientId,
      iat,
      exp: iat + LIFETIME_SECONDS,
    });
  }
}

/** What is told about a user: who it is, always; the rest as far as the scopes go. */
function identityClaims(
  { sub, email, name, workspace }: GoogleUser,
  scopes: ReadonlySet<string>,
): Record<string, unknown> {
  return {
    sub,
    ...(workspace && { hd: email.slice(email.lastIndexOf('@') + 1) }),
    ...(allowsEmail(scopes) && { email, email_verified: true }),
    ...(allowsProfile(scopes) && { name, given_name: name.split(' ', 1)[0] }),
  };
}
