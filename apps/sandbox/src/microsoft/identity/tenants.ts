import type { Memory } from '../../state/memory.js';
import type { MicrosoftUser } from '../contract.js';

/** Directory of personal accounts: https://learn.microsoft.com/entra/identity-platform/id-token-claims-reference */
export const PERSONAL_TENANT = '9188040d-6c67-4c5b-b112-36a304b66dad';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isTenantId = (text: string): boolean => UUID.test(text);

/**
 * True when a user may sign in under this segment, or with a client of this audience.
 * @param segment `common`, `organizations`, `consumers`, or a directory id
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

/** Consent settings of directories. */
export class Directories {
  readonly #policies: Map<string, ConsentPolicy>;
  readonly #consents: Map<string, Set<string>>;

  constructor(memory: Memory) {
    this.#policies = memory.collection('consentPolicies');
    this.#consents = memory.collection('adminConsents');
  }

  setPolicy(tid: string, policy: ConsentPolicy): void {
    this.#policies.set(tid, policy);
  }

  policyOf(tid: string): ConsentPolicy {
    return this.#policies.get(tid) ?? 'user';
  }

  /** Adds an administrator's consent for all users; earlier consents stay. */
  consent(tid: string, clientId: string, scopes: readonly string[]): void {
    this.#consents.set(`${tid} ${clientId}`, new Set([...this.consentedTo(tid, clientId), ...scopes]));
  }

  consentedTo(tid: string, clientId: string): ReadonlySet<string> {
    return this.#consents.get(`${tid} ${clientId}`) ?? new Set();
  }
}
