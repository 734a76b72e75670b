import type { MicrosoftUser } from '../contract.js';

/** The directory of personal accounts. https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
export const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isTenantId = (text: string): boolean => UUID.test(text);

/**
 * Whether a user may sign in below this segment, or with a client made for these.
 * @param segment `common`, `organizations`, `consumers`, or the id of a directory
 */
export function admits(segment: string, { kind, tid }: MicrosoftUser): boolean {
  switch (segment) {
    case 'common':
    case 'any':
      return true;
    case 'organizations':
      return kind === 'work';
    case 'consumers':
      return kind === 'personal';
    default:
      return tid === segment;
  }
}

export type ConsentPolicy = 'user' | 'admin';

export interface DirectoriesSnapshot {
  adminOnly: string[];
  consents: { tid: string; clientId: string; scopes: string[] }[];
}

/** What directories have settled for their users. */
export class Directories {
  readonly #adminOnly = new Set<string>();
  readonly #consents = new Map<string, DirectoriesSnapshot['consents'][number]>();

  setPolicy(tid: string, policy: ConsentPolicy): void {
    if (policy === 'admin') this.#adminOnly.add(tid);
    else this.#adminOnly.delete(tid);
  }

  policyOf(tid: string): ConsentPolicy {
    return this.#adminOnly.has(tid) ? 'admin' : 'user';
  }

  /** An administrator's consent for everybody; what was consented to before stays. */
  consent(tid: string, clientId: string, scopes: readonly string[]): void {
    const all = new Set([...this.consentedTo(tid, clientId), ...scopes]);
    this.#consents.set(`${tid} ${clientId}`, { tid, clientId, scopes: [...all] });
  }

  consentedTo(tid: string, clientId: string): ReadonlySet<string> {
    return new Set(this.#consents.get(`${tid} ${clientId}`)?.scopes);
  }

  snapshot(): DirectoriesSnapshot {
    return { adminOnly: [...this.#adminOnly], consents: [...this.#consents.values()] };
  }

  restore({ adminOnly, consents }: DirectoriesSnapshot): void {
    this.clear();
    for (const tid of adminOnly) this.setPolicy(tid, 'admin');
    for (const { tid, clientId, scopes } of consents) this.consent(tid, clientId, scopes);
  }

  clear(): void {
    this.#adminOnly.clear();
    this.#consents.clear();
  }
}
