import 'reflect-metadata';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Module, type Provider } from '@nestjs/common';
import {
  AccountsService,
  ApiKeysService,
  CalendarsService,
  CalendarSubscribing,
  CalendarSubscriptions,
  EndpointMessages,
  EventsService,
  FreeBusyService,
  ProviderPushes,
  SignInService,
  WebhookEndpoints,
} from '#application';
import { IdempotencyRepository } from '#domain';
import { HealthModule, LoggingModule } from '#platform';
import { ApiModule } from './api.module.js';
import { createApp } from './create-app.js';
import { OpenApiDocument } from './openapi/openapi-document.js';

const SETTINGS = {
  bodyLimit: 1_048_576,
  publicUrl: 'http://localhost:3000',
  trustProxy: 0,
  rateLimitRps: 300,
  requestTimeoutMs: 25_000,
};

/** Handlers are described, not called: nothing stands behind them. */
const described: Provider[] = [
  AccountsService,
  ApiKeysService,
  CalendarsService,
  CalendarSubscribing,
  CalendarSubscriptions,
  EndpointMessages,
  EventsService,
  FreeBusyService,
  ProviderPushes,
  SignInService,
  WebhookEndpoints,
  IdempotencyRepository,
].map((provide) => ({ provide, useValue: {} }));

@Module({ providers: described, exports: described.map((provider) => (provider as { provide: symbol }).provide) })
class DescribedServices {}

@Module({
  imports: [
    LoggingModule.forRoot({ service: 'write-openapi', level: 'silent' }),
    HealthModule.forRoot({ useFactory: () => [] }),
    ApiModule.forRoot(SETTINGS, [DescribedServices]),
  ],
})
class DescribedApp {}

/** `node dist/apps/api/src/write-openapi.js [--check]`, from the root of the repository. */
async function main(): Promise<void> {
  const file = join(process.cwd(), 'docs/openapi.json');
  const app = await createApp(DescribedApp, SETTINGS);
  const text = app.get(OpenApiDocument).text();
  await app.close();
  if (!process.argv.includes('--check')) {
    writeFileSync(file, text);
  } else if (readFileSync(file, 'utf8') !== text) {
    process.stderr.write(
      'docs/openapi.json is not what the code says: run `node dist/apps/api/src/write-openapi.js`\n',
    );
    process.exitCode = 1;
  }
}

await main();
