import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import { DomainError } from '../system/errors.js';

/** A link to the page where a user connects one account. An application makes it with its key. */
export interface ConnectLink {
  id: string;
  applicationId: string;
  /** null lets the user choose. */
  providerType: ProviderType | null;
  redirectUrl: string;
  /** The application's own state, returned unchanged. null when not given. */
  callerState: string | null;
  externalId: string | null;
  expiresAt: Date;
}

export type NewConnectLink = Omit<ConnectLink, 'id'> & {
  /** SHA-256 over the link's secret. */
  secretHash: Buffer;
};

export abstract class ConnectLinkRepository {
  /** @throws DomainError NotFound when there is no such application */
  abstract create(link: NewConnectLink): Promise<void>;
  /** Not scoped by application, because the link identifies it. Returns null for an expired or used link. */
  abstract find(secretHash: Buffer): Promise<ConnectLink | null>;
  /** Joins the caller's {@link UnitOfWork}. Returns false when the link was used. */
  abstract use(application: ApplicationRef, linkId: string): Promise<boolean>;
}

/** One error for all cases, so that attackers learn nothing. */
export class ConnectLinkGone extends DomainError {
  constructor() {
    super('NotFound', 'This link was used already, or is over. Go back to the application and start again.');
  }
}
