/** The calling application, proven by its key. */
export interface ApplicationRef {
  applicationId: string;
}

export const ENVIRONMENTS = ['development', 'production'] as const;

/** `development` lets users be sent back to http URLs of their own machine. */
export type Environment = (typeof ENVIRONMENTS)[number];

export interface Application {
  id: string;
  name: string;
  environment: Environment;
  /** Requests a second per key; null: the server's default. */
  rateLimitRps: number | null;
  /** Webhook messages about its calendars say whose calendar it is. */
  enrichesWebhooks: boolean;
  /** Calendars whose provider does not push can be subscribed to all the same: they are polled. */
  pollsCalendars: boolean;
  /** An `externalId` of a sign-in has to come by an address that the application made with its key. */
  requiresSignedLinks: boolean;
  createdAt: Date;
}

/** What an operator may change of an application. */
export type ApplicationOptions = Omit<Application, 'id' | 'createdAt'>;

/** An application with how much it has. */
export interface CountedApplication extends Application {
  /** `apiKeys`: the ones that work. */
  counts: { accounts: number; apiKeys: number; subscriptions: number };
}

/** One that is being deleted is not there for `list`, `find`, `update` and the like, nor for its keys. */
export abstract class ApplicationRepository {
  abstract create(application: {
    name: string;
    rateLimitRps?: number | null;
    /** Default: development. */
    environment?: Environment;
  }): Promise<Application>;
  /** Oldest first. */
  abstract list(): Promise<CountedApplication[]>;
  abstract find(applicationId: string): Promise<Application | null>;
  abstract findCounted(applicationId: string): Promise<CountedApplication | null>;
  /** What is not named stays as it is. @returns null when there is no such application */
  abstract update(applicationId: string, options: Partial<ApplicationOptions>): Promise<Application | null>;
  /** The environment, which stays what it is until the {@link UnitOfWork} ends; null: there is no such application. */
  abstract holdEnvironment(applicationId: string): Promise<Environment | null>;
  /** From now on it is not there any more. False when it was not there. */
  abstract beginDeletion(applicationId: string): Promise<boolean>;
  /** One whose deletion is to go on; nobody else gets it within that time. null: there is none. */
  abstract claimDeletion(leaseMs: number): Promise<string | null>;
  /** When the deletion is to go on. */
  abstract continueDeletion(applicationId: string, inMs: number): Promise<void>;
  /** Deletes its endpoints and subscriptions, with their messages: nothing more is sent. */
  abstract deleteEndpoints(applicationId: string): Promise<void>;
  /** Deletes the application and everything it owns. False when it did not exist. */
  abstract delete(applicationId: string): Promise<boolean>;
}
