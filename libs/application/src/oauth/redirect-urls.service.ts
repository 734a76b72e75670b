import { Injectable } from '@nestjs/common';
import { ApplicationRepository, type Environment } from '#domain/applications';
import { RedirectUrlRepository } from '#domain/oauth';
import { AuditLog } from '#domain/operator';
import { DomainError, invalid, noSuchApplication, UnitOfWork } from '#domain/system';
import { recordAction } from '../system/actor.js';

export interface RedirectUrlView {
  applicationId: string;
  url: string;
}

@Injectable()
export class RedirectUrlsService {
  constructor(
    private readonly urls: RedirectUrlRepository,
    private readonly applications: ApplicationRepository,
    private readonly audit: AuditLog,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws DomainError NotFound (application), ValidationFailed, Conflict when the URL exists already */
  async add(applicationId: string, url: string): Promise<RedirectUrlView> {
    requireRedirectUrl(url);
    await this.applications.get(applicationId);
    await this.unitOfWork.run({ applicationId }, async () => {
      await this.assertAllowed(applicationId, url);
      if (!(await this.urls.add({ applicationId }, url))) {
        throw new DomainError('Conflict', 'The application has this redirect URL already.');
      }
      await recordAction(this.audit, 'redirect-url.added', `redirect-url:${url}`, applicationId);
    });
    return { applicationId, url };
  }

  /** Oldest first. @throws DomainError NotFound (application) */
  async list(applicationId: string): Promise<RedirectUrlView[]> {
    await this.applications.get(applicationId);
    const urls = await this.urls.list({ applicationId });
    return urls.map((url) => ({ applicationId, url }));
  }

  /** @throws DomainError NotFound */
  async remove(applicationId: string, url: string): Promise<void> {
    await this.applications.get(applicationId);
    if (!(await this.urls.remove({ applicationId }, url))) throw noSuchUrl();
    await recordAction(this.audit, 'redirect-url.removed', `redirect-url:${url}`, applicationId);
  }

  /** @throws DomainError NotFound (application, `from`), ValidationFailed */
  async move(applicationId: string, from: string, to: string): Promise<void> {
    requireRedirectUrl(to);
    await this.applications.get(applicationId);
    const application = { applicationId };
    await this.unitOfWork.run(application, async () => {
      await this.assertAllowed(applicationId, to);
      const wasThere = await this.urls.remove(application, to);
      if (!(await this.urls.replace(application, from, to))) throw noSuchUrl();
      await recordAction(this.audit, 'redirect-url.removed', `redirect-url:${from}`, applicationId);
      if (!wasThere) await recordAction(this.audit, 'redirect-url.added', `redirect-url:${to}`, applicationId);
    });
  }

  private async assertAllowed(applicationId: string, url: string): Promise<void> {
    // Locked against a concurrent change to production, which rejects such URLs.
    const environment = await this.applications.lockEnvironment(applicationId);
    if (environment === null) throw noSuchApplication();
    if (!allowsRedirectUrl(environment, url)) {
      throw invalid('url', 'must begin with https:// and not lead to localhost: the application is in production');
    }
  }
}

function noSuchUrl(): DomainError {
  return new DomainError('NotFound', 'The application has no such redirect URL.');
}

const MAX_LENGTH = 2_000;
/** Hosts with http: the developer's own machine (RFC 8252 §7.3). */
const HTTP_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Loopback hosts: RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3 and §2.5.5.2. */
const LOOPBACK = /^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/** RFC 9700 §2.1: requests are compared character by character. @throws DomainError ValidationFailed */
export function requireRedirectUrl(text: string): void {
  if (text.length > MAX_LENGTH) throw invalid('url', `must have at most ${MAX_LENGTH} characters`);
  if (!URL.canParse(text)) throw invalid('url', 'must be an absolute URL');
  const url = new URL(text);
  const isLocal = url.protocol === 'http:' && HTTP_HOSTS.has(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) {
    throw invalid('url', 'must begin with https:// (http:// is for localhost, 127.0.0.1 and [::1] alone)');
  }
  if (url.username !== '' || url.password !== '') throw invalid('url', 'must have no user name or password');
  if (text.includes('#')) throw invalid('url', 'must have no fragment');
  // A bare origin may omit the slash.
  if (url.href !== text && url.href !== `${text}/`) throw invalid('url', `must be written as ${url.href}`);
}

export function allowsRedirectUrl(environment: Environment, url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return environment === 'development' || (protocol === 'https:' && !LOOPBACK.test(hostname));
}
