import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { ApplicationRef } from '#domain/applications';
import { DatabaseUnavailable, EntityManagers, FieldCipherError, SYSTEM, tenant, type Statement } from '#persistence';
import { OAuthClientEntity, RedirectUrlEntity } from '../../libs/persistence/src/entities/oauth.entities.js';
import { OperatorEntity } from '../../libs/persistence/src/entities/operators.entities.js';
import { openPersistence, type Persistence } from './persistence.js';

const ADA = '0197a000-0000-7000-8000-0000000000a1';
const OTHER = '0197a000-0000-7000-8000-0000000000a2';

let persistence: Persistence;
let entities: EntityManagers;
let mine: ApplicationRef;
let foreign: ApplicationRef;
const statements: Statement[] = [];

beforeAll(async () => {
  persistence = await openPersistence({ onStatement: (statement) => void statements.push(statement) });
  entities = persistence.module.get(EntityManagers);
  mine = await persistence.newApplication();
  foreign = await persistence.newApplication();
  await persistence.redirectUrls.add(mine, 'https://mine.example.org/');
  await persistence.redirectUrls.add(foreign, 'https://foreign.example.org/');
});

afterAll(() => persistence.close());
beforeEach(() => void (statements.length = 0));

const operator = (id: string, email: string) => ({
  ...{ id, email, name: 'Ada', role: 'admin' as const, createdAt: new Date(0) },
  ...{ passwordHash: null, issuer: null, subject: null, lastSignInAt: null },
});
const emails = async () =>
  (await persistence.admin<{ email: string }>('select email from operator order by 1')).map(({ email }) => email);

describe('entity managers', () => {
  it('see the rows of their scope alone, whatever is asked', async () => {
    const urls = (application: ApplicationRef) =>
      entities.within(tenant(application.applicationId), (em) => em.findAll(RedirectUrlEntity));
    expect((await urls(mine)).map(({ url }) => url)).toEqual(['https://mine.example.org/']);
    expect((await urls(foreign)).map(({ url }) => url)).toEqual(['https://foreign.example.org/']);
    expect(await entities.within(SYSTEM, (em) => em.count(RedirectUrlEntity))).toBe(2);
  });

  it('send values as parameters, a question mark in them too', async () => {
    await persistence.redirectUrls.replace(mine, 'https://nobody.example.org/?a=1', "https://x.example.org/?b='");
    const [statement] = statements;
    expect(statement?.values).toEqual(
      expect.arrayContaining([mine.applicationId, 'https://nobody.example.org/?a=1', "https://x.example.org/?b='"]),
    );
    expect(statement?.text).toMatch(/^update "redirect_url" set "url" = \$1 where .*"application_id" = \$\d/);
  });

  it('end with the work that they were made for', async () => {
    let leaked: EntityManager | undefined;
    await entities.within(SYSTEM, async (em) => {
      leaked = em;
    });
    await expect(leaked?.count(OperatorEntity)).rejects.toThrow(TypeError);
  });

  it('write what a transaction changed of their entities, or nothing', async () => {
    await entities.transaction(SYSTEM, async (em) => void em.create(OperatorEntity, operator(ADA, 'ada@example.org')));
    const failing = entities.transaction(SYSTEM, async (em) => {
      const ada = await em.findOneOrFail(OperatorEntity, ADA);
      ada.email = 'changed@example.org';
      await em.flush();
      em.create(OperatorEntity, operator(OTHER, 'other@example.org'));
      await em.flush();
      throw new Error('undone');
    });
    await expect(failing).rejects.toThrow('undone');
    expect(await emails()).toEqual(['ada@example.org']);
  });

  it('join the transaction of their caller', async () => {
    const outer = persistence.database.transaction(SYSTEM, async () => {
      await entities.transaction(SYSTEM, async (em) => em.nativeDelete(OperatorEntity, {}));
      throw new Error('undone');
    });
    await expect(outer).rejects.toThrow('undone');
    expect(await emails()).toEqual(['ada@example.org']);
  });

  it('begin no transaction of their own', async () => {
    await expect(entities.within(SYSTEM, (em) => em.begin())).rejects.toThrow(TypeError);
  });

  it('read again when their connection was lost', async () => {
    const ended =
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()';
    await persistence.admin(ended);
    expect(await entities.within(SYSTEM, (em) => em.count(OperatorEntity))).toBe(1);
  });

  it('say that the database is away as everything else does', async () => {
    const failed = entities.within(SYSTEM, (em) => em.execute('select pg_terminate_backend(pg_backend_pid())'));
    await expect(failed).rejects.toThrow(DatabaseUnavailable);
  });
});

describe('encrypted fields', () => {
  it('are ciphertext in their row, and open for no other', async () => {
    const client = { clientId: 'id', clientSecret: 'canary', scopes: null, tenant: null };
    await persistence.oauthClients.put(mine, 'GOOGLE', client);
    const [row] = await persistence.admin<{ client_secret: Buffer }>('select client_secret from oauth_client');
    expect(row?.client_secret.includes('canary')).toBe(false);
    const found = await entities.within(SYSTEM, (em) => em.findOneOrFail(OAuthClientEntity, { clientId: 'id' }));
    expect(found.clientSecret.text(found.id)).toBe('canary');
    expect(() => found.clientSecret.open(OTHER)).toThrow(FieldCipherError);
  });
});
