import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Database } from '#persistence';
import type { ApiHttpAdapter } from '../http/api-http-adapter.js';

/** Reports the wait for database connections, which all requests share, to the load shedder. */
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
