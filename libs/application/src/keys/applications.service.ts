import { Injectable } from '@nestjs/common';
import {
  ApplicationRepository,
  AuditLog,
  DomainError,
  invalid,
  type Application,
  type ApplicationOptions,
} from '#domain';
import { currentActor } from '../actor.js';

export interface ApplicationView {
  applicationId: string;
  name: string;
  /** Requests a second per key; null: the server's default. */
  rateLimitRps: number | null;
  /** Webhooks about its calendars say whose calendar it is. */
  enrichedWebhooks: boolean;
  /** It may subscribe to calendars whose provider does not push. */
  polledWebhooks: boolean;
  createdAt: string;
}

/** What may be changed of an application. */
export type ApplicationChange = Partial<Pick<ApplicationView, 'enrichedWebhooks' | 'polledWebhooks'>>;

/** The applications that use this installation. */
@Injectable()
export class ApplicationsService {
  constructor(
    private readonly applications: ApplicationRepository,
    private readonly audit: AuditLog,
  ) {}

  /** @throws DomainError ValidationFailed */
  async create({ name, rateLimitRps }: { name: string; rateLimitRps?: number | null }): Promise<ApplicationView> {
    if (name.trim() === '' || name.length > 200) throw invalid('name', 'must have 1 to 200 characters');
    if (rateLimitRps != null && (!Number.isInteger(rateLimitRps) || rateLimitRps < 1)) {
      throw invalid('rateLimitRps', 'must be a whole number of at least 1');
    }
    return toView(await this.applications.create({ name: name.trim(), rateLimitRps: rateLimitRps ?? null }));
  }

  async list(): Promise<ApplicationView[]> {
    return (await this.applications.list()).map(toView);
  }

  /**
   * What is not named stays as it is. Messages that are there already stay as they are, too.
   * @throws DomainError NotFound, ValidationFailed when nothing is named
   */
  async change(applicationId: string, change: ApplicationChange): Promise<ApplicationView> {
    const { enrichedWebhooks: enrichesWebhooks, polledWebhooks: pollsCalendars } = change;
    const named = Object.entries(change).filter(([, value]) => value !== undefined);
    if (named.length === 0) throw invalid('', 'must name something to change');
    const options: Partial<ApplicationOptions> = {
      ...(enrichesWebhooks !== undefined && { enrichesWebhooks }),
      ...(pollsCalendars !== undefined && { pollsCalendars }),
    };
    const application = await this.applications.update(applicationId, options);
    if (application === null) throw noSuchApplication();
    for (const [option, value] of named) {
      const subject = `application-option:${option}=${value ? 'on' : 'off'}`;
      await this.audit.record({ applicationId, action: 'application.changed', subject, ...currentActor() });
    }
    return toView(application);
  }

  /** @throws DomainError NotFound */
  async delete(applicationId: string): Promise<void> {
    if (!(await this.applications.delete(applicationId))) throw noSuchApplication();
  }
}

function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}

function toView(application: Application): ApplicationView {
  const { id, name, rateLimitRps, enrichesWebhooks, pollsCalendars, createdAt } = application;
  return {
    applicationId: id,
    name,
    rateLimitRps,
    enrichedWebhooks: enrichesWebhooks,
    polledWebhooks: pollsCalendars,
    createdAt: createdAt.toISOString(),
  };
}
