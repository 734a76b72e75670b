// How the chart knows the settings of the service.

/** What the chart itself decides, or what has no place in a pod. */
const FIXED = ['NODE_ENV', 'PORT', 'WORKER_HEALTH_PORT', 'METRICS_PORT', 'DATA_DIR'];

/** What docker/compose.yaml decides. */
const OF_COMPOSE = [...FIXED, 'HOST', 'DATABASE_URL', 'ENCRYPTION_KEYS', 'REDIS_URL', 'PUBLIC_URL'];

/** Names of settings that only a Secret may hold. */
const SECRET = /^(DATABASE_URL|REDIS_URL|ENCRYPTION_KEYS)$|_(SECRET|TOKEN|PASSWORD|HEADERS)$/;

/** @param {readonly { env: string, format: string }[]} settings those of `#providers` */
export function secretSettings(settings) {
  return settings.map(({ env }) => env).filter((env) => SECRET.test(env));
}

/**
 * JSON schema of `config`: every setting that is neither secret nor fixed.
 * @param {readonly { env: string, description: string, format: string }[]} settings those of `#providers`
 */
export function configSchema(settings) {
  const open = settings.filter(({ env }) => !SECRET.test(env) && !FIXED.includes(env));
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(
      // Pods are production, which takes no other address.
      open.map(({ env, description, format }) => [
        env,
        { description, ...valueSchema(env === 'PUBLIC_URL' ? 'URL (https)' : format) },
      ]),
    ),
  };
}

/** `format` is what docs/operations/configuration.md calls Value. */
function valueSchema(format) {
  const [, type, minimum, maximum] = /^(integer|number), (\d+) to (\d+)$/.exec(format) ?? [];
  if (type !== undefined) return { type, minimum: Number(minimum), maximum: Number(maximum) };
  if (/^`[^`]+`(, `[^`]+`)*$/.test(format)) return choice([...format.matchAll(/`([^`]+)`/g)].map(([, value]) => value));
  const [, schemes] = /^URL \((.*)\)$/.exec(format) ?? [];
  if (schemes !== undefined) return { type: 'string', pattern: `^(${schemes.split(', ').join('|')})://` };
  return { type: ['string', 'number'] };
}

/** In YAML `true` is no text, and means the same. */
function choice(values) {
  return { enum: values.includes('true') ? [...values, true, false] : values };
}

/**
 * docker/settings.env.example: every setting that the Compose file leaves open, with its default.
 * @param {readonly { env: string, description: string, default?: string }[]} settings those of `#providers`
 */
export function composeSettings(settings) {
  const open = settings.filter(({ env }) => !OF_COMPOSE.includes(env));
  return [
    '# Copy this to settings.env, and keep the lines that you change. docs/operations/configuration.md says which values they take.',
    ...open.map(({ env, description, default: value = '' }) => `\n# ${description}\n#${env}=${value}`),
    '',
  ].join('\n');
}
