import { Linter } from 'eslint';
// @ts-expect-error: a program without types
import config from '../../eslint.config.mjs';

/** Whether one of the project's own rules refuses one line of a file. */
function restricted(file: string, line: string, rule = 'no-restricted-imports'): boolean {
  const rules = (config as Linter.Config[]).filter(({ rules: named }) => named?.[rule] !== undefined);
  return new Linter().verify(line, rules, { filename: file }).some(({ ruleId }) => ruleId === rule);
}

describe('the rules of imports', () => {
  it.each([
    ['libs/domain/src/event.ts', '#persistence'],
    ['libs/domain/src/event.ts', '#platform/telemetry'],
    ['libs/providers/google/calls.ts', '#providers/microsoft'],
    ['libs/providers/google/calls.ts', '#persistence'],
    ['libs/providers/kit/calls/policy.ts', '#providers/google'],
    ['libs/application/src/events.ts', '#egress'],
    ['libs/application/src/events.ts', '../../egress/src/index.js'],
    ['libs/application/src/events.ts', 'node:https'],
    ['libs/platform/src/config.ts', '#egress'],
    ['libs/platform/src/telemetry/sdk.ts', '#domain'],
    ['libs/platform/src/telemetry/sdk.ts', '../config/settings.js'],
    ['apps/dashboard/src/page.tsx', '#domain'],
    ['apps/dashboard/src/page.tsx', '../../../libs/domain/src/index.js'],
    ['apps/sandbox/src/google/calendar/recurrence.ts', '#icalendar'],
    ['apps/sandbox/src/sandbox.ts', '#egress'],
    ['apps/sandbox/src/sandbox.ts', '../../../libs/domain/src/index.js'],
    ['clients/typescript/src/client.ts', '#domain'],
    ['libs/providers/registry.ts', '#persistence'],
    ['libs/providers/providers.ts', '#providers/kit/calls'],
    ['apps/worker/src/task.ts', '#providers/google'],
    ['apps/worker/src/task.ts', '#providers/kit/calls'],
    ['apps/ops/src/connection.ts', '#icalendar'],
    ['apps/stack/src/stack.ts', '#application'],
    ['apps/stack/src/stack.ts', '../../ops/src/operator-services.js'],
    ['apps/ops/src/connection.ts', '../../stack/src/stack.js'],
    ['apps/api/src/oauth/oauth.controller.ts', 'undici'],
  ])('refuse in %s: %s', (file, name) => {
    expect(restricted(file, `import '${name}';`)).toBe(true);
  });

  it.each([
    ['libs/application/src/events.ts', '#domain'],
    ['libs/application/src/events.spec.ts', '#domain/testing/mirrors'],
    ['libs/providers/google/calls.ts', '#providers/kit/calls'],
    ['libs/providers/google/calls.spec.ts', '#providers/google/testing/google-client'],
    ['libs/platform/src/config.ts', '#egress/settings'],
    ['apps/sandbox/src/http/server.ts', 'node:http'],
    ['apps/sandbox/src/google/oauth/scopes.ts', '../api/discovery.js'],
    ['apps/api/src/http/server.ts', 'node:http'],
    ['apps/api/src/operator/sso.ts', '#providers/kit/oauth'],
    ['libs/providers/registry.ts', './google/definition.js'],
  ])('let in in %s: %s', (file, name) => {
    expect(restricted(file, `import '${name}';`)).toBe(false);
  });
});

describe('the rule of names', () => {
  const names = (file: string, line: string) => restricted(file, line, 'no-restricted-syntax');

  it.each([
    ['libs/domain/src/account.ts', "const TYPES = ['GOOGLE'];"],
    ['libs/application/src/oauth/clients.ts', "if (type === 'MICROSOFT') throw new Error();"],
    ['libs/application/src/oauth/clients.ts', "const path = '/callback/google';"],
    ['libs/persistence/src/accounts.ts', "const sql = `case provider_type when 'CALDAV' then email end`;"],
    ['apps/api/src/accounts/connect.controller.ts', "const slug = 'apple';"],
    ['apps/api/src/oauth/oauth.dto.ts', 'const SIGN_IN = { google: 1 };'],
    ['apps/api/src/openapi/frame.ts', 'const text = `calendars of APPLE and ${others} accounts`;'],
    ['apps/ops/src/commands.ts', "const provider = 'Google';"],
    ['apps/ops/src/commands.ts', "import { createGoogleProvider } from '#providers/google';"],
    ['apps/worker/src/task.ts', 'const url = `${root}/microsoft/${path}`;'],
    ['apps/dashboard/src/page.tsx', "const isSignIn = provider === 'microsoft';"],
    ['apps/stack/src/stack.ts', "const names = { Microsoft: '' };"],
  ])('refuses in %s: %s', (file, line) => {
    expect(names(file, line)).toBe(true);
  });

  it.each([
    ['libs/providers/google/definition.ts', "const type = 'GOOGLE';"],
    ['libs/application/src/accounts/connections.spec.ts', "const type = 'GOOGLE';"],
    ['libs/application/testing/world.ts', "const type = 'GOOGLE';"],
    ['libs/persistence/src/migrations/Migration.ts', "const type = 'CALDAV';"],
    ['apps/sandbox/src/google/site.ts', "const name = 'google';"],
    ['libs/icalendar/src/recurrence/busy.ts', "const name = 'X-MICROSOFT-CDO-BUSYSTATUS';"],
    ['apps/stack/src/environment.ts', "const name = 'GOOGLE_API_URL';"],
    ['libs/application/src/oauth/errors.ts', "const advice = 'In Google Cloud, open the client.';"],
    ['apps/api/src/accounts/connect.ts', 'const slug = definition.slug;'],
  ])('lets in in %s: %s', (file, line) => {
    expect(names(file, line)).toBe(false);
  });
});
