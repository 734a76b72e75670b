import { randomBytes } from 'node:crypto';
import { ConfigError, loadConfig } from '#platform';

const key = (): string => randomBytes(32).toString('base64');
const usable = (): NodeJS.ProcessEnv => ({
  DATABASE_URL: 'postgresql://localhost/calendar',
  ENCRYPTION_KEYS: `k1:${key()}`,
});

function problemsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    loadConfig([], env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('loadConfig', () => {
  it('fills in defaults', () => {
    const config = loadConfig([], usable());
    expect(config).toMatchObject({
      nodeEnv: 'development',
      port: 3000,
      bodyLimitBytes: 1_048_576,
      egressAllow: '',
      rateLimitRps: 300,
    });
    expect(config.redisUrl).toBeUndefined();
  });

  it('reads what is given', () => {
    const config = loadConfig([], { ...usable(), PORT: '0', LOG_LEVEL: 'debug', REDIS_URL: 'redis://localhost:6379' });
    expect(config).toMatchObject({ port: 0, logLevel: 'debug', redisUrl: 'redis://localhost:6379' });
  });

  it('reads where metrics are served, or that they are not', () => {
    const portOf = (text: string) => loadConfig([], { ...usable(), METRICS_PORT: text }).metricsPort;
    expect([portOf(''), portOf('0'), portOf('9999'), portOf('off')]).toEqual([9464, 0, 9999, null]);
    const problems = ['METRICS_PORT must be an integer from 0 to 65535, or off'];
    for (const text of ['on', '-1', '70000', '94.64']) {
      expect(problemsOf({ ...usable(), METRICS_PORT: text })).toEqual(problems);
    }
  });

  it('lists every problem at once', () => {
    const problems = problemsOf({ NODE_ENV: 'production', PORT: '70000', LOG_LEVEL: 'loud', RATE_LIMIT_RPS: '1.5' });
    expect(problems).toEqual([
      'PORT must be an integer from 0 to 65535',
      'PUBLIC_URL is required in production',
      'DATABASE_URL is required',
      'ENCRYPTION_KEYS is required',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
      'RATE_LIMIT_RPS must be an integer from 1 to 1000000',
    ]);
  });

  it('takes an empty variable for an absent one', () => {
    expect(problemsOf({ ...usable(), DATABASE_URL: ' ' })).toEqual(['DATABASE_URL is required']);
  });

  it.each(['http://calendar.example.com', 'HTTP://calendar.example.com', 'http://localhost:3000'])(
    'refuses %s for the address of production',
    (publicUrl) => {
      const production = { ...usable(), NODE_ENV: 'production' };
      expect(problemsOf({ ...production, PUBLIC_URL: publicUrl })).toEqual(['PUBLIC_URL must be https in production']);
      expect(problemsOf({ ...usable(), PUBLIC_URL: publicUrl })).toEqual([]);
      expect(problemsOf({ ...production, PUBLIC_URL: 'https://calendar.example.com' })).toEqual([]);
    },
  );

  it('refuses a shutdown that is cut off before its delay has passed', () => {
    expect(problemsOf({ ...usable(), SHUTDOWN_DELAY_MS: '9000', SHUTDOWN_TIMEOUT_MS: '9000' })).toEqual([
      'SHUTDOWN_TIMEOUT_MS must be more than SHUTDOWN_DELAY_MS',
    ]);
  });

  it('takes an address of the dashboard, or none', () => {
    const read = (OPERATOR_URL: string) => loadConfig([], { ...usable(), OPERATOR_URL }).operatorUrl;
    expect([read(''), read('off'), read('https://ops.example')]).toEqual([undefined, null, 'https://ops.example']);
    expect(problemsOf({ ...usable(), OPERATOR_URL: 'ops.example' })).toEqual([
      'OPERATOR_URL must be a URL with the scheme https or http',
    ]);
    const production = { ...usable(), NODE_ENV: 'production', PUBLIC_URL: 'https://calendar.example' };
    expect(problemsOf({ ...production, OPERATOR_URL: 'http://ops.example' })).toEqual([
      'OPERATOR_URL must be https in production',
    ]);
  });

  it.each(['PUBLIC_URL', 'OPERATOR_URL'])('appends paths to %s', (name) => {
    for (const url of ['https://h.example/p?q=1', 'https://h.example/#f', 'https://u:secret@h.example']) {
      expect(problemsOf({ ...usable(), [name]: url })).toEqual([`${name} must have no query, no fragment and no user`]);
    }
    expect(problemsOf({ ...usable(), [name]: 'https://h.example/p' })).toEqual([]);
  });

  it('takes a page of traces that has a place for the trace', () => {
    const TRACE_URL = 'https://traces.example/find?id={traceId}';
    expect(loadConfig([], { ...usable(), TRACE_URL }).traceUrl).toBe(TRACE_URL);
    expect(problemsOf({ ...usable(), TRACE_URL: 'https://traces.example' })).toEqual([
      'TRACE_URL must contain {traceId}',
    ]);
    expect(problemsOf({ ...usable(), TRACE_URL: 'javascript:{traceId}' })).toEqual([
      'TRACE_URL must be a URL with the scheme https or http',
    ]);
  });

  it('wants the OpenID provider of operators whole', () => {
    const given = { OIDC_ISSUER: 'https://id.example/house', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };
    expect(loadConfig([], { ...usable(), ...given })).toMatchObject({
      oidcIssuer: given.OIDC_ISSUER,
      oidcLabel: 'Single sign-on',
    });
    expect(loadConfig([], usable()).oidcIssuer).toBeUndefined();
    for (const missing of Object.keys(given)) {
      expect(problemsOf({ ...usable(), ...given, [missing]: '' })).toEqual([
        'OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be given together',
      ]);
    }
  });

  it('lets operators do without passwords where an OpenID provider knows them', () => {
    const openId = { OIDC_ISSUER: 'https://id.example/house', OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };
    const off = { ...usable(), OPERATOR_PASSWORDS: 'off' };
    expect(loadConfig([], { ...off, ...openId }).operatorPasswords).toBe('off');
    expect(loadConfig([], { ...usable(), ...openId }).operatorPasswords).toBe('on');
    expect(problemsOf(off)).toEqual(['OPERATOR_PASSWORDS=off needs OIDC_ISSUER: nobody could sign in']);
    // What is wrong is not missing as well.
    expect(problemsOf({ ...off, ...openId, OIDC_ISSUER: 'id' })).toHaveLength(1);
    expect(problemsOf({ ...usable(), OPERATOR_PASSWORDS: 'no' })).toEqual([
      'OPERATOR_PASSWORDS must be one of on, off',
    ]);
  });

  it.each([
    ['http://localhost:4010/oidc', null],
    ['http://127.0.0.1:4010', null],
    ['http://[::1]/', null],
    ['http://id.example', 'must be https, unless it is on this machine'],
    ['http://127.0.0.1.evil.example', 'must be https, unless it is on this machine'],
    ['https://id.example/?a=b', 'must have no query, no fragment and no user'],
    ['https://id.example/#a', 'must have no query, no fragment and no user'],
    ['https://id@id.example/', 'must have no query, no fragment and no user'],
    ['id.example', 'must be a URL with the scheme https or http'],
  ])('takes %s for an issuer: %s', (issuer, problem) => {
    const given = { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: 'id', OIDC_CLIENT_SECRET: 'secret' };
    expect(problemsOf({ ...usable(), ...given })).toEqual(problem === null ? [] : [`OIDC_ISSUER ${problem}`]);
  });

  it('takes what outbound requests may reach in every form, and names each entry that has none', () => {
    const allow = 'dav.internal, dav.internal:8443, 10.0.0.0/8, 192.168.1.2, 127.0.0.1:5232, [fd00::1]:8443, fd00::/8,';
    expect(loadConfig([], { ...usable(), EGRESS_ALLOW: allow }).egressAllow).toBe(allow);
    const forms = 'none of host, host:port, address, [v6]:port, CIDR';
    expect(problemsOf({ ...usable(), EGRESS_ALLOW: 'dav.internal,https://canary,10.0.0.1/8', PORT: 'x' })).toEqual([
      'PORT must be an integer from 0 to 65535',
      `EGRESS_ALLOW entry 2 is ${forms}; entry 3 is ${forms}`,
    ]);
  });

  it('refuses for SVIX_SERVER_URL what no request goes to', () => {
    expect(problemsOf({ ...usable(), SVIX_SERVER_URL: 'http://127.0.0.1:4010/root/' })).toEqual([]);
    for (const value of ['https://canary@host.example', 'https://host.example/#canary', 'https://-canary.example']) {
      expect(problemsOf({ ...usable(), SVIX_SERVER_URL: value })).toEqual([
        'SVIX_SERVER_URL must be the URL of a host, without a user and a fragment',
      ]);
    }
  });

  it('knows production by its name, blanks around it or not', () => {
    expect(problemsOf({ ...usable(), NODE_ENV: ' production ' })).toEqual(['PUBLIC_URL is required in production']);
  });

  it('wants to know where Svix is, and who we are there, when it delivers', () => {
    const svix = { ...usable(), WEBHOOK_TRANSPORT: 'svix' };
    expect(problemsOf(svix)).toEqual([
      'SVIX_SERVER_URL is required with WEBHOOK_TRANSPORT=svix',
      'SVIX_TOKEN is required with WEBHOOK_TRANSPORT=svix',
    ]);
    // What is wrong is not missing as well.
    expect(problemsOf({ ...svix, SVIX_SERVER_URL: 'svix.example.com', SVIX_TOKEN: 'token' })).toEqual([
      'SVIX_SERVER_URL must be a URL with the scheme https or http',
    ]);
    expect(problemsOf({ ...svix, SVIX_SERVER_URL: 'https://svix.example.com', SVIX_TOKEN: 'token' })).toEqual([]);
    expect(loadConfig([], usable())).toMatchObject({ webhookTransport: 'builtin', webhookCoalesceMs: 2_000 });
  });

  it('reads where traces go, as OpenTelemetry writes it', () => {
    expect(loadConfig([], usable())).toMatchObject({
      otelEndpoint: undefined,
      otelTracesSampler: 'parentbased_traceidratio',
      otelTracesSamplerArg: 1,
      otelSdkDisabled: 'false',
    });
    const given = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3Db, x-scope = one',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=production',
      OTEL_TRACES_SAMPLER_ARG: '0.1',
    };
    expect(loadConfig([], { ...usable(), ...given })).toMatchObject({
      otelEndpoint: 'http://collector:4318',
      otelHeaders: { authorization: 'Bearer a=b', 'x-scope': 'one' },
      otelResourceAttributes: { 'deployment.environment.name': 'production' },
      otelTracesSamplerArg: 0.1,
    });
  });

  it.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'must be a URL with the scheme https or http'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'canary', 'must be name=value, separated by commas, with percent-encoded values'],
    [
      'OTEL_EXPORTER_OTLP_HEADERS',
      'a=%0d%0acanary',
      'must be name=value, separated by commas, with percent-encoded values',
    ],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=canary%', 'must be name=value, separated by commas, with percent-encoded values'],
    ['OTEL_RESOURCE_ATTRIBUTES', 'a b=canary', 'must be name=value, separated by commas, with percent-encoded values'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'must be a number from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', '-0.1', 'must be a number from 0 to 1'],
    ['OTEL_TRACES_SAMPLER_ARG', 'half', 'must be a number from 0 to 1'],
    ['OTEL_SDK_DISABLED', 'yes', 'must be one of true, false'],
  ])('refuses %s=%s', (name, value, problem) => {
    expect(problemsOf({ ...usable(), [name]: value })).toEqual([`${name} ${problem}`]);
  });

  it('never repeats a value in a problem', () => {
    const secret = 'postgres-password-canary';
    expect(problemsOf({ ...usable(), DATABASE_URL: secret, ENCRYPTION_KEYS: secret }).join()).not.toContain(secret);
  });
});

describe('N64 encryption keys', () => {
  const rejection = (keys: string): string[] => problemsOf({ ...usable(), ENCRYPTION_KEYS: keys });

  it('accepts several random keys', () => {
    expect(rejection(`new:${key()}, old:${key()}`)).toEqual([]);
  });

  it.each([
    ['a short key', `k:${randomBytes(16).toString('base64')}`, 'must be 32 bytes, got 16'],
    ['zeros', `k:${Buffer.alloc(32).toString('base64')}`, 'is an example'],
    ['counted bytes', `k:${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}`, 'is an example'],
    ['typed words', `k:${Buffer.from('this-is-an-example-encryption-ky').toString('base64')}`, 'is an example'],
    ['no id', key(), 'must look like kid:base64'],
    ['nothing between commas', `k:${key()},`, 'key 2 must look like'],
  ])('refuses %s', (_, keys, message) => {
    expect(rejection(keys).join()).toContain(message);
  });

  it('refuses two keys with one id', () => {
    expect(rejection(`k:${key()},k:${key()}`).join()).toContain('repeats the id');
  });
});
