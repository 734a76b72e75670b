import { Injectable } from '@nestjs/common';
import {
  ApplicationRepository,
  AuditLog,
  DomainError,
  invalid,
  RedirectUrlRepository,
  UnitOfWork,
  type ApplicationRef,
} from '#domain';
import { currentActor } from '../actor.js';
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
    const application = await this.existing(applicationId);
    await this.unitOfWork.run(application, async () => {
      await this.assertAllowed(applicationId, url);
      if (!(await this.urls.add(application, url))) {
        throw new DomainError('Conflict', 'The application has this redirect URL already.');
      }
      await this.record(applicationId, 'redirect-url.added', url);
    });
    return { applicationId, url };
  }

  /** Oldest first. @throws DomainError NotFound (application) */
  async list(applicationId: string): Promise<RedirectUrlView[]> {
    const urls = await this.urls.list(await this.existing(applicationId));
    return urls.map((url) => ({ applicationId, url }));
  }

  /** @throws DomainError NotFound */
  async remove(applicationId: string, url: string): Promise<void> {
    if (!(await this.urls.remove(await this.existing(applicationId), url))) {
      throw noSuchUrl();
    }
    await this.record(applicationId, 'redirect-url.removed', url);
  }

  /** @throws DomainError NotFound (application, `from`), ValidationFailed */
  async move(applicationId: string, from: string, to: string): Promise<void> {
    requireRedirectUrl(to);
    const application = await this.existing(applicationId);
    await this.unitOfWork.run(application, async () => {
      await this.assertAllowed(applicationId, to);
      const wasThere = await this.urls.remove(application, to);
      if (!(await this.urls.replace(application, from, to))) throw noSuchUrl();
      await this.record(applicationId, 'redirect-url.removed', from);
      if (!wasThere) await this.record(applicationId, 'redirect-url.added', to);
    });
  }

  private async assertAllowed(applicationId: string, url: string): Promise<void> {
    // Locked against a concurrent change to production, which rejects such URLs.
    const environment = await this.applications.holdEnvironment(applicationId);
    if (environment === null) throw noSuchApplication();
    if (!allowsRedirectUrl(environment, url)) {
      throw invalid('url', 'must begin with https:// and not lead to localhost: the application is in production');
    }
  }

  private async existing(applicationId: string): Promise<ApplicationRef> {
    if ((await this.applications.find(applicationId)) === null) throw noSuchApplication();
    return { applicationId };
  }

  private async record(applicationId: string, action: string, url: string): Promise<void> {
    await this.audit.record({ applicationId, action, subject: `redirect-url:${url}`, ...currentActor() });
  }
}

function noSuchUrl(): DomainError {
  return new DomainError('NotFound', 'The application has no such redirect URL.');
}

function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}
