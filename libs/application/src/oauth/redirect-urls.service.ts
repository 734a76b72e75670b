import { Injectable } from '@nestjs/common';
import {
  ApplicationRepository,
  AuditLog,
  DomainError,
  invalid,
  RedirectUrlRepository,
  type ApplicationRef,
} from '#domain';
import { currentActor } from '../actor.js';

export interface RedirectUrlView {
  applicationId: string;
  url: string;
}

const MAX_LENGTH = 2_000;
/** Where http may stay: the developer's own machine (RFC 8252 §7.3). */
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The operator's side of where applications' users are sent back to. */
@Injectable()
export class RedirectUrlsService {
  constructor(
    private readonly urls: RedirectUrlRepository,
    private readonly applications: ApplicationRepository,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The first one of an application is its default.
   * @throws DomainError NotFound (application), ValidationFailed, Conflict when it is there already
   */
  async add(applicationId: string, url: string): Promise<RedirectUrlView> {
    requireRedirectUrl(url);
    if (!(await this.urls.add(await this.existing(applicationId), url))) {
      throw new DomainError('Conflict', 'The application has this redirect URL already.');
    }
    await this.record(applicationId, 'redirect-url.added', url);
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
      throw new DomainError('NotFound', 'The application has no such redirect URL.');
    }
    await this.record(applicationId, 'redirect-url.removed', url);
  }

  private async existing(applicationId: string): Promise<ApplicationRef> {
    if ((await this.applications.find(applicationId)) === null) {
      throw new DomainError('NotFound', 'There is no application with this id.');
    }
    return { applicationId };
  }

  private async record(applicationId: string, action: string, url: string): Promise<void> {
    await this.audit.record({ applicationId, action, subject: `redirect-url:${url}`, ...currentActor() });
  }
}

/**
 * What callers send is compared with it character by character (RFC 9700 §2.1), so it must be spelt the one way in
 * which a browser would spell it, too.
 */
function requireRedirectUrl(text: string): void {
  if (text.length > MAX_LENGTH) throw invalid('url', `must have at most ${MAX_LENGTH} characters`);
  if (!URL.canParse(text)) throw invalid('url', 'must be an absolute URL');
  const url = new URL(text);
  const isLocal = url.protocol === 'http:' && LOOPBACK.has(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) {
    throw invalid('url', 'must begin with https:// (http:// is for localhost, 127.0.0.1 and [::1] alone)');
  }
  if (url.username !== '' || url.password !== '') throw invalid('url', 'must have no user name or password');
  if (text.includes('#')) throw invalid('url', 'must have no fragment');
  // A bare origin may go without the slash.
  if (url.href !== text && url.href !== `${text}/`) throw invalid('url', `must be written as ${url.href}`);
}
