import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { Database } from '#persistence';
import type { ApiHttpAdapter } from '../http/api-http-adapter.js';

/**
 * Whoever waits for a connection waits for what others do, as with the processor, but nobody keeps all others waiting: so
 * many milliseconds in that line are as bad as one of a late timer.
 */
const AS_BAD_AS_ONE = 10;

/** What all requests share besides the processor: the connections to the database. */
@Injectable()
export class DatabaseQueue implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<ApiHttpAdapter>,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.host.httpAdapter.shedder.alsoWatch(() => this.database.queueMs() / AS_BAD_AS_ONE);
  }
}
