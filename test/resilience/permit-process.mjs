// One process of the service, reduced to the slots of one account: the test that forked it says when work ends.
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ProviderConcurrencyLimiter } from '#domain/providers';
import { KeyRing, PersistenceModule } from '#persistence';

const { DATABASE_URL, ENCRYPTION_KEYS, APPLICATION_ID, ACCOUNT_ID } = process.env;
const scope = { applicationId: APPLICATION_ID, accountId: ACCOUNT_ID };
const app = await NestFactory.createApplicationContext(
  PersistenceModule.forRoot({ databaseUrl: DATABASE_URL, keyRing: KeyRing.parse(ENCRYPTION_KEYS) }),
  { logger: false },
);
const slots = app.get(ProviderConcurrencyLimiter);
/** Ends work that is under way, by name. */
const ends = new Map();

process.on('message', ({ begin, end }) => {
  if (end !== undefined) return ends.get(end)();
  const work = async () => {
    process.send({ began: begin });
    await new Promise((resolve) => ends.set(begin, resolve));
  };
  return slots.withPermit(scope, 3, AbortSignal.timeout(60_000), work);
});
process.send({ ready: true });
