import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Each provider is a folder. */
const PROVIDERS = readdirSync(join(import.meta.dirname, 'libs/providers'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'kit')
  .map(({ name }) => name);

const APPS = readdirSync(join(import.meta.dirname, 'apps'));

/** Named, not found by the service of editors, which takes a quarter longer. */
const TSCONFIGS = ['tsconfig.json', 'apps/dashboard/tsconfig.json', 'clients/typescript/tsconfig.json'];

/** What an adapter may import. */
const OF_ADAPTERS = [
  '#domain',
  '#icalendar',
  '#egress',
  '#platform/event-loop',
  '#platform/deadline',
  '#platform/settings',
  '#providers/kit',
  // Which reads and writes iCalendar objects for all that have them.
  '#providers/caldav',
];

/**
 * The dependency arrows of the house (docs/adr/0001): which `#lib` a folder may import, besides itself.
 * What is not named here is forbidden.
 */
const ARROWS = {
  'libs/domain': [],
  'libs/icalendar': [],
  'libs/providers/kit': [
    '#domain',
    '#icalendar',
    '#egress',
    '#platform/event-loop',
    '#platform/settings',
    '#platform/telemetry',
  ],
  'libs/webhooks': ['#domain', '#egress', '#platform/telemetry'],
  'libs/platform': ['#domain', '#egress/settings'],
  'libs/egress': ['#domain', '#platform/event-loop', '#platform/deadline', '#platform/telemetry'],
  'libs/application': [
    '#domain',
    '#icalendar',
    '#webhooks',
    '#platform/deadline',
    '#platform/telemetry',
    '#platform/testing',
  ],
  'libs/persistence': ['#domain', '#platform'],
  'libs/jobs': ['#domain', '#platform'],
  ...Object.fromEntries(PROVIDERS.map((name) => [`libs/providers/${name}`, OF_ADAPTERS])),
  // The registry: the only files that know each adapter, as ./<name>/definition.js.
  'libs/providers': ['#domain', '#egress', '#platform', '#providers/kit/definition'],
};

/** Which `#lib` an app may import. What is not named here is forbidden, and no app imports another. */
const ARROWS_OF_APPS = {
  'apps/api': [
    ...['#application', '#domain', '#egress', '#jobs', '#persistence', '#platform', '#webhooks'],
    '#providers(?:$|/kit)',
  ],
  'apps/worker': [
    ...['#application', '#domain', '#egress', '#jobs', '#persistence', '#platform', '#webhooks'],
    '#providers$',
  ],
  'apps/ops': [
    ...['#application', '#domain', '#egress', '#jobs', '#persistence', '#platform', '#webhooks'],
    '#providers$',
  ],
  'apps/stack': ['#jobs', '#persistence', '#platform', '#providers$'],
  'apps/sandbox': [],
};

/** Ways out of the process. Only libs/egress may use them; persistence and jobs speak to our own database and queue. */
const NETWORK_MODULES = [
  'undici',
  'node:http',
  'node:https',
  'node:http2',
  'node:net',
  'node:tls',
  'node:dns',
  'node:dns/promises',
  'node:dgram',
  'axios',
  'http',
  'https',
  'net',
  'tls',
  'dns',
];

/** An app listens for requests and probes. */
const LISTENING_MODULES = ['node:http', 'node:net'];

/** The way out itself, and the other side of the network: providers and receivers that the service speaks with. */
const OWN_NETWORK = ['libs/egress', 'apps/sandbox'];

/** What specs of several libs share is in `testing/` of the lowest of them. */
const NOT_TEST = { group: ['**/test/**'], message: 'libs and apps do not know test/.' };

/** Entries of `platform` that every lib may load: they load nothing of the rest of it. */
const ENTRIES_OF_PLATFORM = ['telemetry', 'event-loop'].map((name) => ({
  files: [`libs/platform/src/${name}/*.ts`],
  ignores: ['**/*.spec.ts'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        paths: NETWORK_MODULES.map((module) => ({
          name: module,
          message: 'libs/egress is the only way out of the process.',
        })),
        patterns: [
          { regex: '^(?:[.]{2}/|#(?!platform/deadline$))', message: `platform/${name} imports no lib.` },
          NOT_TEST,
        ],
      },
    ],
  },
}));

function arrows(folder, allowed) {
  const isApp = folder.startsWith('apps/');
  // Patterns of `group` are those of .gitignore, in which # begins a comment: these are regular expressions.
  const isRegistry = folder === 'libs/providers';
  const known = [...(isRegistry ? [] : [folder.replace(/^libs\//, '#')]), ...allowed];
  const forbidden = `^(?!(?:${known.join('|')})(?:/|$))#`;
  return {
    files: [isRegistry ? `${folder}/*.ts` : `${folder}/**/*.ts`],
    ...(isRegistry && { ignores: ['**/*.spec.ts'] }),
    rules: {
      'no-restricted-imports': [
        'error',
        {
          paths: OWN_NETWORK.includes(folder)
            ? []
            : NETWORK_MODULES.filter((name) => !(isApp && LISTENING_MODULES.includes(name))).map((name) => ({
                name,
                message: 'libs/egress is the only way out of the process.',
              })),
          patterns: [
            {
              regex: forbidden,
              message: `${folder} may import ${allowed.join(', ') || 'no lib'} (eslint.config.mjs).`,
            },
            {
              group: ['**/libs/**', '**/apps/**', '../../*/src/*', '../../../*/src/*'],
              message: 'Cross a lib boundary by its #name only.',
            },
            {
              regex: `^(?:[.]{2}/)+(?:${APPS.join('|')})/src/`,
              message: 'No app imports another.',
            },
            NOT_TEST,
          ],
        },
      ],
      'no-restricted-globals': OWN_NETWORK.includes(folder)
        ? 'off'
        : [
            'error',
            { name: 'fetch', message: 'libs/egress is the only way out of the process.' },
            { name: 'WebSocket', message: 'libs/egress is the only way out of the process.' },
          ],
    },
  };
}

/** A provider's type as a word, its name as a segment of a path or alone, and its name as a key. */
const TYPE = `(?<![\\w-])(${PROVIDERS.join('|').toUpperCase()})(?![\\w-])`;
const SEGMENT = `(^|\\x2F)(${PROVIDERS.join('|')})(\\x2F|[?]|$)`;
const NAMES_OF_PROVIDERS = [
  ...[`/${TYPE}/`, `/${SEGMENT}/i`].flatMap((name) => [`Literal[value=${name}]`, `TemplateElement[value.raw=${name}]`]),
  `:matches(Property, PropertyDefinition, TSPropertySignature) > Identifier.key[name=/^(${PROVIDERS.join('|')})$/i]`,
].map((selector) => ({
  selector,
  message:
    'Nobody asks which provider it is: take it from its definition (#providers, libs/providers/*/definition.ts).',
}));

const SQL = '/^\\s*(select|insert into|update \\w+ (\\w+ )?set|delete from|with \\w+ as)\\s/i';
const SQL_OUT_OF_PLACE = [`Literal[value=${SQL}]`, `TemplateElement[value.raw=${SQL}]`].map((selector) => ({
  selector,
  message: 'SQL stands in migrations and *.statements.ts; everything else asks an entity manager or Kysely (ADR 4).',
}));

export default tseslint.config(
  { ignores: ['**/dist/**', 'node_modules/**', '.data/**', 'coverage/**', 'docs/**'] },
  eslint.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { project: TSCONFIGS, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'off',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
    },
  },
  {
    // Answers of the service are read as what they are: JSON that nobody has promised a type for.
    files: ['**/*.spec.ts', '**/testing/**/*.ts', 'test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        URL: 'readonly',
        fetch: 'readonly',
        Buffer: 'readonly',
        performance: 'readonly',
        AbortSignal: 'readonly',
      },
    },
  },
  {
    files: ['{apps,libs}/**/*.{ts,tsx}'],
    // The sandbox pretends to be providers; what a migration did stays.
    ignores: [
      ...['libs/providers/**', 'apps/sandbox/**', 'libs/persistence/src/migrations/**'],
      ...['**/*.spec.ts', '**/testing/**'],
    ],
    rules: { 'no-restricted-syntax': ['error', ...NAMES_OF_PROVIDERS, ...SQL_OUT_OF_PLACE] },
  },
  {
    files: ['libs/persistence/src/**/*.statements.ts', 'apps/stack/src/postgres/server.statements.ts'],
    rules: { 'no-restricted-syntax': ['error', ...NAMES_OF_PROVIDERS] },
  },
  {
    // The client is a package of its own, which knows nothing of the service but its document.
    files: ['clients/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^#|/libs/|/apps/',
              message: 'A client knows the OpenAPI document alone.',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['apps/dashboard/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^#|/libs/|/apps/',
              message: 'A page knows the OpenAPI document alone.',
            },
          ],
        },
      ],
    },
  },
  ...Object.entries({ ...ARROWS, ...ARROWS_OF_APPS }).map(([folder, allowed]) => arrows(folder, allowed)),
  ...ENTRIES_OF_PLATFORM,
);
