import type { CodeChallenge } from '../../oauth/code-challenge.js';
import type { Grant } from '../../oauth/grants.js';
import type { MicrosoftUser } from '../contract.js';
import type { TenantSegment } from './tenants.js';

/** What a code stands for. */
export interface Authorization {
  /** Segment below which it was given, and can be redeemed. */
  tenant: TenantSegment;
  clientId: string;
  redirectUri: string;
  challenge: CodeChallenge | null;
  nonce: string | null;
  grant: Grant<MicrosoftUser>;
  scopes: ReadonlySet<string>;
}
