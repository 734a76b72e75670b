import { Injectable } from '@nestjs/common';
import { ApplicationRepository } from '#domain/applications';
import { RedirectUrlRepository } from '#domain/oauth';
import { AuditLog } from '#domain/operator';
import { DomainError, invalid, noSuchApplication, UnitOfWork } from '#domain/system';
import { recordAction } from '../system/actor.js';
import { allowsRedirectUrl, requireRedirectUrl } from './redirect-url-rules.js';

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
