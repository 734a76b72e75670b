import { Injectable } from '@nestjs/common';
import { UnitOfWork, type ApplicationRef } from '#domain';
import { Database } from './database/database.js';
import { tenant } from './database/scope.js';

@Injectable()
export class SqlUnitOfWork extends UnitOfWork {
  constructor(private readonly database: Database) {
    super();
  }

  override async run<T>({ applicationId }: ApplicationRef, work: () => Promise<T>): Promise<T> {
    return this.database.transaction(tenant(applicationId), work);
  }
}
