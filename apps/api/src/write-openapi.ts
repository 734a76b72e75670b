import 'reflect-metadata';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Module, type Provider, type Type } from '@nestjs/common';
import { ApiKeysService } from '#application/applications';
import { ProviderNotifications } from '#application/channels';
import { OperatorSessions, OperatorSettings, RequestHistoryRecorder } from '#application/operator';
import { IdempotencyRepository } from '#domain/applications';
import { HealthModule, LoggingModule } from '#platform';
import { API_CONTROLLERS, ApiModule } from './api.module.js';
import { createApp } from './create-app.js';
import { OpenApiDocument } from './openapi/openapi-document.js';
import { OPERATOR_CONTROLLERS, OperatorModule } from './operator/operator.module.js';

const SETTINGS = {
  bodyLimitBytes: 1_048_576,
  publicUrl: 'http://localhost:3000',
  operatorUrl: 'http://localhost:3000',
  trustProxy: 0,
  rateLimitRps: 300,
  requestTimeoutMs: 25_000,
  overloadTargetDelayMs: 0,
  maxRequestsInFlight: 2_000,
};

/** Describing handlers never calls them, so empty objects stand in for their services. */
const described: Provider[] = [
  ...[...new Set([...API_CONTROLLERS, ...OPERATOR_CONTROLLERS].flatMap(injectedInto))].filter(
    (provide) => provide !== OpenApiDocument,
  ),
  ApiKeysService,
  IdempotencyRepository,
  OperatorSessions,
  ProviderNotifications,
  RequestHistoryRecorder,
].map((provide) => ({ provide, useValue: provide === OperatorSettings ? SETTINGS : {} }));

function injectedInto(controller: Type<object>): Type<object>[] {
  return (Reflect.getMetadata('design:paramtypes', controller) as Type<object>[] | undefined) ?? [];
}

@Module({ providers: described, exports: described })
class DescribedServices {}

@Module({
  imports: [
    LoggingModule.forRoot({ service: 'write-openapi', level: 'silent' }),
    HealthModule.forRoot(),
    ApiModule.forRoot(SETTINGS, [DescribedServices]),
    OperatorModule.forRoot(SETTINGS, [DescribedServices]),
  ],
})
class DescribedApp {}

/** Run from the root of the repository: `node dist/apps/api/src/write-openapi.js [--check]`. */
async function main(): Promise<void> {
  const app = await createApp(DescribedApp, SETTINGS);
  const documents = app.get(OpenApiDocument, { strict: false, each: true });
  const texts = documents.map((document) => ({ name: `docs/${document.file}`, text: document.text() }));
  await app.close();
  for (const { name, text } of texts) {
    const file = join(process.cwd(), name);
    if (!process.argv.includes('--check')) {
      writeFileSync(file, text);
    } else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
      process.stderr.write(`${name} is not what the code says: run \`node dist/apps/api/src/write-openapi.js\`\n`);
      process.exitCode = 1;
    }
  }
}

await main();
