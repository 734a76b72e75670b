import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Database } from '#persistence';
import type { ApiHttpAdapter } from '../http/api-http-adapter.js';

/** All requests share the connections to the database. */
@Injectable()
export class DatabaseQueue implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<ApiHttpAdapter>,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.host.httpAdapter.shedder.alsoWatch(() => this.database.queueMs());
  }
}
