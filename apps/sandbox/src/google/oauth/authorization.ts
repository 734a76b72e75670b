import type { CodeChallenge } from '../../oauth/code-challenge.js';
import type { Grant } from '../../oauth/grants.js';
import type { GoogleUser } from '../contract.js';

/** What a code stands for. */
export interface Authorization {
  clientId: string;
  redirectUri: string;
  challenge: CodeChallenge | null;
  nonce: string | null;
  grant: Grant<GoogleUser>;
  scopes: ReadonlySet<string>;
  /** `access_type=offline` */
  isOffline: boolean;
  /** The user saw the consent page for it. */
  wasConsentShown: boolean;
}
