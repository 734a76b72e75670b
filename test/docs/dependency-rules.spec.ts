import { Linter } from 'eslint';
// @ts-expect-error: a program without types
import config from '../../eslint.config.mjs';

/** What the project's own rules of imports say of one line of a file. */
function restricted(file: string, line: string): boolean {
  const rules = (config as Linter.Config[]).filter(
    ({ rules: named }) => named?.['no-restricted-imports'] !== undefined,
  );
  return new Linter().verify(line, rules, { filename: file }).length > 0;
}

describe('the rules of imports', () => {
  it.each([
    ['libs/domain/src/event.ts', '#persistence'],
    ['libs/domain/src/event.ts', '#telemetry'],
    ['libs/providers/google/calls.ts', '#providers/microsoft'],
    ['libs/providers/google/calls.ts', '#persistence'],
    ['libs/providers/kit/calls/policy.ts', '#providers/google'],
    ['libs/application/src/events.ts', '#egress'],
    ['libs/application/src/events.ts', '../../egress/src/index.js'],
    ['libs/application/src/events.ts', 'node:https'],
    ['libs/platform/src/config.ts', '#egress'],
    ['apps/dashboard/src/page.tsx', '#domain'],
    ['clients/typescript/src/client.ts', '#operator-api'],
  ])('refuse in %s: %s', (file, name) => {
    expect(restricted(file, `import '${name}';`)).toBe(true);
  });

  it.each([
    ['libs/application/src/events.ts', '#domain'],
    ['libs/application/src/events.spec.ts', '#domain/testing/mirrors'],
    ['libs/providers/google/calls.ts', '#providers/kit/calls'],
    ['libs/providers/google/calls.spec.ts', '#providers/google/testing/google-connection'],
    ['libs/platform/src/config.ts', '#egress/settings'],
    ['apps/dashboard/src/page.tsx', '#operator-api'],
  ])('let in in %s: %s', (file, name) => {
    expect(restricted(file, `import '${name}';`)).toBe(false);
  });
});
