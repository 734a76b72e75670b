import { createHash } from 'node:crypto';
import type { Memory } from '../../state/memory.js';
import { GraphErrorResponse } from '../contract.js';
import type { Row } from './odata-options.js';
import type { Window } from './series.js';
import type { Store } from './store.js';

/** Scope of a delta link, and the revision up to which its holder knows every change. */
export interface DeltaGrant extends Window {
  mailboxKey: string;
  viewKey: string;
  revision: number;
  isExpired: boolean;
}

/** Remaining pages of a round. */
interface Walk {
  grant: DeltaGrant;
  rows: readonly Row[];
  position: number;
}

/** Valid tokens; the oldest one expires first. */
const MAX_GRANTS = 10_000;
const MAX_WALKS = 200;

/** Tokens of delta links and of page links within a round. */
export class DeltaTokens {
  private readonly grants: Map<string, DeltaGrant>;
  private readonly walks = new Map<string, Walk>();

  constructor(
    memory: Memory,
    private readonly store: Store,
  ) {
    this.grants = memory.collection('deltaTokens');
  }

  issue(grant: Omit<DeltaGrant, 'isExpired'>): string {
    return this.keep(this.grants, { ...grant, isExpired: false }, MAX_GRANTS);
  }

  issueWalk(walk: Walk): string {
    return this.keep(this.walks, walk, MAX_WALKS);
  }

  /** @throws GraphErrorResponse 410 for an expired token, 400 for one of another calendar */
  redeem(token: string, holder: Pick<DeltaGrant, 'mailboxKey' | 'viewKey'>): DeltaGrant {
    return checked(this.grants.get(token), holder);
  }

  /** @throws GraphErrorResponse as {@link redeem} */
  resume(token: string, holder: Pick<DeltaGrant, 'mailboxKey' | 'viewKey'>): Walk {
    const walk = this.walks.get(token);
    checked(walk?.grant, holder);
    return walk!;
  }

  /** @returns number of expired tokens */
  expire(isMeant: (mailboxKey: string) => boolean): number {
    let expired = 0;
    for (const grant of [...this.grants.values(), ...[...this.walks.values()].map((walk) => walk.grant)]) {
      if (grant.isExpired || !isMeant(grant.mailboxKey)) continue;
      grant.isExpired = true;
      expired += 1;
    }
    return expired;
  }

  private keep<T>(tokens: Map<string, T>, value: T, most: number): string {
    const token = createHash('sha256').update(this.store.keys.next('token')).digest('base64url');
    tokens.set(token, value);
    if (tokens.size > most) tokens.delete(tokens.keys().next().value!);
    return token;
  }
}

function checked(
  grant: DeltaGrant | undefined,
  { mailboxKey, viewKey }: Pick<DeltaGrant, 'mailboxKey' | 'viewKey'>,
): DeltaGrant {
  if (grant === undefined || grant.mailboxKey !== mailboxKey || grant.viewKey !== viewKey) {
    throw new GraphErrorResponse(400, 'SyncStateInvalid', 'The sync state is not valid for this collection.');
  }
  if (grant.isExpired) {
    throw new GraphErrorResponse(
      410,
      'SyncStateNotFound',
      'The sync state generation is not found; restart the round.',
    );
  }
  return grant;
}
