import type { Memory } from '../../state/memory.js';
import type { Ids } from './ids.js';
import { fullSyncRequired, invalid } from './errors.js';

/** Scope of a token. Tokens of equal scopes are interchangeable. */
export interface TokenScope {
  email: string;
  /** `events c_1@group…`, `calendarList`, `acl …`, `settings` */
  collection: string;
  calendarId: string | null;
  /** Parameters that must stay the same in every call. */
  fixed: string;
  /** Parameters that only a careless client changes between calls; default none. */
  usual?: string;
}

interface Grant extends Required<TokenScope> {
  revision: number;
  isExpired: boolean;
}

/**
 * Sync tokens of all collections (https://developers.google.com/workspace/calendar/api/guides/sync). Each stands for
 * one user's state of one collection, with the same parameters.
 */
export class SyncTokens {
  private readonly grants: Map<string, Grant>;
  /** By scope and revision, so that polls without changes return the same token. */
  private readonly live: Map<string, string>;

  constructor(
    memory: Memory,
    private readonly ids: Ids,
    private readonly violation: (message: string) => void,
  ) {
    this.grants = memory.collection('syncTokens');
    this.live = memory.collection('liveSyncTokens');
  }

  issue(scope: TokenScope, revision: number): string {
    const key = keyOf(scope, revision);
    const known = this.live.get(key);
    if (known !== undefined) return known;
    const token = this.ids.token();
    this.live.set(key, token);
    this.grants.set(token, { usual: '', ...scope, revision, isExpired: false });
    return token;
  }

  /**
   * Returns the revision up to which the client knows every change.
   * @throws GoogleErrorResponse 410 `fullSyncRequired`, 400 `invalid` for a token of another collection or other parameters
   */
  redeem(token: string, scope: TokenScope): number {
    const grant = this.grants.get(token);
    if (grant === undefined || grant.email !== scope.email || grant.collection !== scope.collection) {
      throw invalid('Invalid sync token value.');
    }
    if (grant.isExpired) throw fullSyncRequired();
    if (grant.fixed !== scope.fixed) throw invalid('Invalid sync token value.');
    if (grant.usual !== (scope.usual ?? '')) {
      this.violation(`${scope.collection}: other parameters than in the call that gave out the sync token`);
    }
    return grant.revision;
  }

  /** @returns number of expired tokens */
  expire(match: { email?: string; calendarId?: string }): number {
    let expired = 0;
    for (const [key, token] of this.live) {
      const grant = this.grants.get(token)!;
      const isMeant =
        (match.email === undefined || grant.email === match.email.toLowerCase()) &&
        (match.calendarId === undefined || grant.calendarId === match.calendarId.toLowerCase());
      if (!isMeant) continue;
      grant.isExpired = true;
      this.live.delete(key);
      expired += 1;
    }
    return expired;
  }
}

function keyOf({ email, collection, calendarId, fixed, usual = '' }: TokenScope, revision: number): string {
  return JSON.stringify([email, collection, calendarId, fixed, usual, revision]);
}
