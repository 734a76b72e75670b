import { Module, type DynamicModule } from '@nestjs/common';
import { QueueBoardModule } from '#jobs';
import type { Config } from '#platform';
import { CountedGauges } from './counted-gauges.js';

/** What is measured by counting. The ports are global. */
@Module({})
export class GaugesModule {
  static forRoot({ databaseUrl, redisUrl }: Pick<Config, 'databaseUrl' | 'redisUrl'>): DynamicModule {
    return {
      module: GaugesModule,
      imports: [QueueBoardModule.forRoot({ databaseUrl, redisUrl: redisUrl ?? null })],
      providers: [CountedGauges],
    };
  }
}
