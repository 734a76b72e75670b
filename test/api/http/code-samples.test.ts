// 15 s: the samples of the OpenAPI document run, and the service takes what they send.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '../../../clients/typescript/src/index.js';
import { asAdmin } from '../../support/postgres.js';
import { outputOf } from '../../support/processes.js';
import { runPython } from '../../support/python.js';
import { joinService } from '../../support/service.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const BASE_URL = 'https://calendar.example.com';
const API_KEY = 'uck_1';
const IDS = {
  ...{ applicationId: 'app-1', endUserAccountId: 'account-1', calendarId: 'calendar-1', eventId: 'event-1' },
  ...{ endpointId: 'endpoint-1', messageId: 'message-1' },
};
/** Visited by browsers on their way to a provider and back. */
const OF_BROWSERS = ['beginSignIn', 'finishSignIn'];

interface Operation {
  operationId: string;
  requestBody?: { content: Record<string, { example?: unknown }> };
  'x-codeSamples'?: { lang: string; source: string }[];
}

interface SentRequest {
  method: string;
  url: string;
  key: string;
  body: unknown;
}

const document = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as {
  paths: Record<string, Record<string, Operation>>;
};
const OPERATIONS = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
);
const SAMPLED = OPERATIONS.filter(({ operationId }) => !OF_BROWSERS.includes(operationId));
const sourceOf = (operation: Operation, lang: string): string =>
  operation['x-codeSamples']?.find((sample) => sample.lang === lang)?.source ?? '';
const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** What the sample for the TypeScript client sends. */
async function sentByClient(operation: Operation): Promise<SentRequest> {
  let sent: SentRequest | undefined;
  const client = createClient({
    ...{ baseUrl: BASE_URL, apiKey: API_KEY },
    fetch: async (url, { method = '', headers, body }) => {
      const key = new Headers(headers).get('x-api-key') ?? '';
      sent = { method, url, key, body: body === undefined ? null : JSON.parse(body as string) };
      return Response.json({ data: [] });
    },
  });
  const names = ['client', ...Object.keys(IDS)];
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- our own sample
  const run = new Function(...names, `return (async () => { ${sourceOf(operation, 'TypeScript')} })();`);
  await run(client, ...Object.values(IDS));
  return sent!;
}

const FAKE_CURL = `
curl() {
  method=GET; body=null; key=
  while [ $# -gt 0 ]; do
    case "$1" in
      -X) method=$2; shift 2 ;;
      -H) case "$2" in x-api-key:*) key=\${2#x-api-key: } ;; esac; shift 2 ;;
      -d) body=$2; shift 2 ;;
      *) url=$1; shift ;;
    esac
  done
  printf '{"method":"%s","url":"%s","key":"%s","body":%s}\\n' "$method" "$url" "$key" "$body"
}
`;

async function sentByCurl(): Promise<SentRequest[]> {
  const sources = SAMPLED.map((operation) => sourceOf(operation, 'Shell'));
  const env = Object.fromEntries(Object.entries(IDS).map(([name, id]) => [snakeCase(name).toUpperCase(), id]));
  const output = await outputOf('bash', ['-euc', `${FAKE_CURL}\n${sources.join('\n')}`], ROOT, {
    ...env,
    BASE_URL,
    API_KEY,
  });
  return output
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SentRequest);
}

const FAKE_REQUESTS = `
import json, sys

class Response:
    def raise_for_status(self): pass
    def json(self): return {}

class Requests:
    def __getattr__(self, method):
        def send(url, headers, timeout, json=None):
            sent.append({"method": method.upper(), "url": url, "key": headers["x-api-key"], "body": json})
            return Response()
        return send

sent = []
given = json.loads(sys.argv[1])
for source in given["sources"]:
    exec(source, {"requests": Requests(), **given["names"]})
print(json.dumps(sent))
`;

async function sentByPython(): Promise<SentRequest[]> {
  const names = Object.fromEntries(Object.entries(IDS).map(([name, id]) => [snakeCase(name), id]));
  const sources = SAMPLED.map((operation) => sourceOf(operation, 'Python'));
  const given = JSON.stringify({ sources, names: { ...names, base_url: BASE_URL, api_key: API_KEY } });
  const program = runPython(FAKE_REQUESTS, [given], ROOT);
  expect([await program.exited, program.stderr()]).toEqual([0, '']);
  return JSON.parse(program.stdout()) as SentRequest[];
}

describe('samples of the OpenAPI document', () => {
  it('are there in three languages for all operations but those of browsers', () => {
    const languages = OPERATIONS.map(({ operationId, ...operation }) => [
      operationId,
      operation['x-codeSamples']?.map(({ lang }) => lang),
    ]);
    expect(languages).toEqual(
      OPERATIONS.map(({ operationId }) => [
        operationId,
        OF_BROWSERS.includes(operationId) ? undefined : ['Shell', 'TypeScript', 'Python'],
      ]),
    );
  });

  it('send the same request in each language, and the example of the body', async () => {
    const byClient = await Promise.all(SAMPLED.map(sentByClient));
    for (const [index, { method, path, operationId, requestBody }] of SAMPLED.entries()) {
      const { url, ...sent } = byClient[index]!;
      const expected = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof typeof IDS) => IDS[name]);
      expect([operationId, new URL(url).pathname]).toEqual([operationId, expected]);
      const example = requestBody?.content['application/json']?.example ?? null;
      expect([operationId, sent]).toEqual([operationId, { method, key: API_KEY, body: example }]);
    }
    expect(await sentByCurl()).toEqual(byClient);
    expect(await sentByPython()).toEqual(byClient);
  });

  it('are requests that the service takes', async () => {
    const service = await joinService();
    await asAdmin(service.adminDatabaseUrl, (admin) =>
      admin.query('insert into redirect_url values (gen_random_uuid(), $1, $2, now())', [
        service.applicationId,
        'https://app.example.com/connected',
      ]),
    );
    const asksElsewhere = /^(connect|upsert|createWebhookEndpoint$)/;
    for (const operation of SAMPLED.filter(({ operationId }) => !asksElsewhere.test(operationId))) {
      const { method, url, body } = await sentByClient(operation);
      const { pathname, search } = new URL(url);
      const response = await service.call(
        method,
        `${pathname.slice('/api'.length)}${search}`,
        body === null ? {} : { body },
      );
      // Nothing has these ids.
      expect([operation.operationId, response.status, response.body]).toEqual([
        operation.operationId,
        pathname.includes('-1') ? 404 : expect.any(Number),
        expect.not.objectContaining({ code: 'ValidationFailed' }),
      ]);
    }
  });
});
