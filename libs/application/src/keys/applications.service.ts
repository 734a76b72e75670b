import { Injectable } from '@nestjs/common';
import { ApplicationRepository, DomainError, invalid, type Application } from '#domain';

export interface ApplicationView {
  applicationId: string;
  name: string;
  /** Requests a second per key; null: the server's default. */
  rateLimitRps: number | null;
  createdAt: string;
}

/** The applications that use this installation. */
@Injectable()
export class ApplicationsService {
  constructor(private readonly applications: ApplicationRepository) {}

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

  /** @throws DomainError NotFound */
  async delete(applicationId: string): Promise<void> {
    if (!(await this.applications.delete(applicationId))) {
      throw new DomainError('NotFound', 'There is no application with this id.');
    }
  }
}

function toView({ id, name, rateLimitRps, createdAt }: Application): ApplicationView {
  return { applicationId: id, name, rateLimitRps, createdAt: createdAt.toISOString() };
}
