import { noSuchApplication } from '../system/errors.js';

/** The calling application, authenticated by its key. */
export interface ApplicationRef {
  applicationId: string;
}

export const ENVIRONMENTS = ['development', 'production'] as const;

/** `development` allows redirect URLs with http and localhost. */
export type Environment = (typeof ENVIRONMENTS)[number];

export interface Application {
  id: string;
  name: string;
  environment: Environment;
  /** Requests per second per key. null for the server's default. */
  rateLimitRps: number | null;
  enrichesWebhooks: boolean;
  /** Allows subscriptions to calendars without push. The worker polls them. */
  pollsCalendars: boolean;
  /** A sign-in with an `externalId` must start from a link that the application created with its key. */
  requiresSignedLinks: boolean;
  /** Color of the connect page, `#rrggbb`. null for the service's own. */
  accentColor: string | null;
  createdAt: Date;
}

export type ApplicationOptions = Omit<Application, 'id' | 'createdAt'>;

export interface CountedApplication extends Application {
  /** `apiKeys`: usable keys only. */
  counts: { accounts: number; apiKeys: number; subscriptions: number };
}

/** An application whose deletion has begun is missing from `list`, `find` and `update`, and its keys stop working. */
export abstract class ApplicationRepository {
  abstract create(application: {
    name: string;
    rateLimitRps?: number | null;
    environment?: Environment;
  }): Promise<Application>;
  abstract list(): Promise<CountedApplication[]>;
  abstract find(applicationId: string): Promise<Application | null>;

  /** @throws DomainError NotFound */
  async get(applicationId: string): Promise<Application> {
    const application = await this.find(applicationId);
    if (application === null) throw noSuchApplication();
    return application;
  }

  abstract findCounted(applicationId: string): Promise<CountedApplication | null>;
  /** Keeps fields that are missing in `options`. Returns null when there is no such application. */
  abstract update(applicationId: string, options: Partial<ApplicationOptions>): Promise<Application | null>;
  /** Locks the environment until the {@link UnitOfWork} ends. Returns null when there is no such application. */
  abstract lockEnvironment(applicationId: string): Promise<Environment | null>;
  /** Hides the application from now on. Returns false when there was none. */
  abstract beginDeletion(applicationId: string): Promise<boolean>;
  /** Claims one deletion to continue, under a lease. Returns null when none is due. */
  abstract claimDeletion(leaseMs: number): Promise<string | null>;
  abstract continueDeletion(applicationId: string, inMs: number): Promise<void>;
  abstract deleteEndpoints(applicationId: string): Promise<void>;
  abstract delete(applicationId: string): Promise<boolean>;
}

export interface IdempotencyKeyScope {
  applicationId: string;
  key: string;
}

export interface StoredResponse {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type IdempotencyClaim =
  /** The caller continues and ends with `complete` or `release`. `claimId` identifies the holder. */
  | { state: 'claimed'; claimId: string }
  | { state: 'completed'; response: StoredResponse }
  /** The key was used with another request. */
  | { state: 'mismatch' }
  | { state: 'inFlight'; retryAfterSeconds: number };

export abstract class IdempotencyRepository {
  /** @param fingerprint hash over method, path and body @param lockMs after it the claim of a dead holder is free */
  abstract claim(scope: IdempotencyKeyScope, fingerprint: string, lockMs: number): Promise<IdempotencyClaim>;
  abstract complete(scope: IdempotencyKeyScope, claimId: string, response: StoredResponse): Promise<void>;
  abstract release(scope: IdempotencyKeyScope, claimId: string): Promise<void>;
}
