import { Injectable } from '@nestjs/common';
import {
  ApplicationRepository,
  ENVIRONMENTS,
  type Application,
  type ApplicationOptions,
  type CountedApplication,
  type Environment,
} from '#domain/applications';
import { RedirectUrlRepository } from '#domain/oauth';
import { AuditLog } from '#domain/operator';
import { DomainError, invalid, noSuchApplication, UnitOfWork } from '#domain/system';
import { recordAction } from '../system/actor.js';
import { allowsRedirectUrl } from '../oauth/redirect-urls.service.js';

export interface ApplicationView {
  applicationId: string;
  name: string;
  /** `production`: redirect URLs need https and a host other than localhost. */
  environment: Environment;
  /** Requests per second per key. null for the server's default. */
  rateLimitRps: number | null;
  enrichedWebhooks: boolean;
  polledWebhooks: boolean;
  signedLinks: boolean;
  /** Color of the connect page, `#rrggbb`. null for the service's own. */
  accentColor: string | null;
  createdAt: string;
}

export type CountedApplicationView = ApplicationView & Pick<CountedApplication, 'counts'>;

export interface NewApplication {
  name: string;
  rateLimitRps?: number | null;
  environment?: string;
}

export type ApplicationChange = Partial<
  Omit<ApplicationView, 'applicationId' | 'createdAt' | 'environment'> & { environment: string }
>;

const MAX_NAME = 100;
const MAX_RATE = 2_147_483_647;

@Injectable()
export class ApplicationsService {
  constructor(
    private readonly applications: ApplicationRepository,
    private readonly redirectUrls: RedirectUrlRepository,
    private readonly audit: AuditLog,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws DomainError ValidationFailed */
  async create({ name, rateLimitRps = null, environment }: NewApplication): Promise<ApplicationView> {
    const application = await this.applications.create({
      name: parseName(name),
      rateLimitRps: parseRate(rateLimitRps),
      environment: parseEnvironment(environment ?? 'development'),
    });
    await recordAction(this.audit, 'application.created', `application:${application.id}`, application.id);
    return toView(application);
  }

  /** Oldest first. */
  async list(): Promise<CountedApplicationView[]> {
    return (await this.applications.list()).map(toCountedView);
  }

  /** @throws DomainError NotFound */
  async get(applicationId: string): Promise<CountedApplicationView> {
    const application = await this.applications.findCounted(applicationId);
    if (application === null) throw noSuchApplication();
    return toCountedView(application);
  }

  /** @throws DomainError NotFound, ValidationFailed for an empty change, Conflict for URLs not allowed in production */
  async change(applicationId: string, change: ApplicationChange): Promise<ApplicationView> {
    const named = Object.entries(change).filter(([, value]) => value !== undefined);
    if (named.length === 0) throw invalid('', 'must name something to change');
    const options = parseChange(change);
    const application = await this.applications.get(applicationId);
    return this.unitOfWork.run({ applicationId }, async () => {
      const changed = await this.applications.update(applicationId, options);
      if (changed === null) throw noSuchApplication();
      // After the update, whose row lock stops concurrent additions of redirect URLs.
      if (application.environment !== changed.environment) await this.assertAllowed(changed);
      for (const [option, value] of named) {
        const subject = `application-option:${option}=${toText(value)}`;
        await recordAction(this.audit, 'application.changed', subject, applicationId);
      }
      return toView(changed);
    });
  }

  /**
   * `ApplicationDeletion` deletes the data. @throws DomainError NotFound, ValidationFailed for a wrong `confirmation`
   */
  async delete(applicationId: string, confirmation?: string): Promise<void> {
    const { name } = await this.applications.get(applicationId);
    if (confirmation !== undefined && confirmation !== name) {
      throw invalid('confirmation', 'must be the name of the application, exactly');
    }
    await this.unitOfWork.run({ applicationId }, async () => {
      if (!(await this.applications.beginDeletion(applicationId))) throw noSuchApplication();
      await recordAction(this.audit, 'application.deleted', `application:${applicationId}`, applicationId);
    });
  }

  private async assertAllowed({ id: applicationId, environment }: Application): Promise<void> {
    const urls = await this.redirectUrls.list({ applicationId });
    const rejected = urls.filter((url) => !allowsRedirectUrl(environment, url));
    if (rejected.length === 0) return;
    throw new DomainError(
      'Conflict',
      `In production users are not sent to http or localhost. Remove these redirect URLs first: ${rejected.join(', ')}`,
    );
  }
}

function parseChange(change: ApplicationChange): Partial<ApplicationOptions> {
  const { name, environment, rateLimitRps, enrichedWebhooks, polledWebhooks, signedLinks, accentColor } = change;
  return {
    ...(name !== undefined && { name: parseName(name) }),
    ...(environment !== undefined && { environment: parseEnvironment(environment) }),
    ...(rateLimitRps !== undefined && { rateLimitRps: parseRate(rateLimitRps) }),
    ...(enrichedWebhooks !== undefined && { enrichesWebhooks: enrichedWebhooks }),
    ...(polledWebhooks !== undefined && { pollsCalendars: polledWebhooks }),
    ...(signedLinks !== undefined && { requiresSignedLinks: signedLinks }),
    ...(accentColor !== undefined && { accentColor: parseColor(accentColor) }),
  };
}

function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > MAX_NAME) throw invalid('name', `must have 1 to ${MAX_NAME} characters`);
  return name;
}

function parseRate(rate: number | null): number | null {
  if (rate === null || (Number.isInteger(rate) && rate >= 1 && rate <= MAX_RATE)) return rate;
  throw invalid('rateLimitRps', 'must be a whole number of at least 1');
}

function parseColor(color: string | null): string | null {
  if (color === null || /^#[0-9a-f]{6}$/i.test(color)) return color?.toLowerCase() ?? null;
  throw invalid('accentColor', 'must be a color such as #0b57d0');
}

function parseEnvironment(text: string): Environment {
  const environment = ENVIRONMENTS.find((known) => known === text);
  if (environment === undefined) throw invalid('environment', `must be one of ${ENVIRONMENTS.join(', ')}`);
  return environment;
}

function toText(value: string | number | boolean | null | undefined): string {
  if (value === null) return 'default';
  return typeof value === 'boolean' ? (value ? 'on' : 'off') : String(value);
}

function toCountedView({ counts, ...application }: CountedApplication): CountedApplicationView {
  return { ...toView(application), counts };
}

function toView(application: Application): ApplicationView {
  const {
    id,
    name,
    environment,
    rateLimitRps,
    enrichesWebhooks,
    pollsCalendars,
    requiresSignedLinks,
    accentColor,
    createdAt,
  } = application;
  return {
    applicationId: id,
    name,
    environment,
    rateLimitRps,
    enrichedWebhooks: enrichesWebhooks,
    polledWebhooks: pollsCalendars,
    signedLinks: requiresSignedLinks,
    accentColor,
    createdAt: createdAt.toISOString(),
  };
}
