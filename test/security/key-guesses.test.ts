import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { ApiKeysService, ApplicationsService } from '#application/applications';
import { startObservedApi, type ObservedApi } from '../support/observed-api.js';

const LIMIT = 20;
const PATH = '/api/v1/endUserAccounts';

let api: ObservedApi;
let applicationId: string;

beforeAll(async () => {
  api = await startObservedApi({ RATE_LIMIT_RPS: String(LIMIT) });
  ({ applicationId } = await api.app.get(ApplicationsService, { strict: false }).create({ name: 'guessed' }));
});

afterAll(() => api?.stop());

const newKey = async () =>
  (await api.app.get(ApiKeysService, { strict: false }).create({ applicationId, name: 'one', expires: 'never' }))
    .apiKey;
const ask = async (key: string) => {
  const response = await fetch(api.baseUrl + PATH, { headers: { 'x-api-key': key } });
  await response.arrayBuffer();
  return response.status;
};
const guess = () => `uck_${randomBytes(16).toString('hex')}_${'A'.repeat(43)}`;
/** Of one window of the limit: as many as fit into it, at once. */
const guesses = (count: number) => Promise.all(Array.from({ length: count }, () => ask(guess())));
const keyStatements = () => api.statements.filter(({ text }) => /\bapi_key\b/.test(text)).length;

it('N07 guesses over the limit cost no statement, and right keys from the same network pass', async () => {
  const unseen = await newKey();
  const before = keyStatements();
  const startedAtMs = performance.now();
  const responses = await guesses(300);
  const spent = keyStatements() - before;
  const windows = 2 + Math.ceil((performance.now() - startedAtMs) / 1_000);
  expect(responses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(300 - windows * LIMIT);
  expect(new Set(responses)).toEqual(new Set([401, 429]));
  expect(spent).toBeLessThanOrEqual(windows * (LIMIT + 1));
  const [status] = await Promise.all([guesses(LIMIT * 5).then(() => ask(unseen)), guesses(LIMIT * 5)]);
  expect(status).toBe(200);
});
