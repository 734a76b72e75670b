import { ALLOW_ENTRY, isRequestUrl, unreadableAllowEntries } from '#egress/settings';

/** `production`: a default serves elsewhere. */
export type Required = 'always' | 'production' | 'never';

/** The message never repeats the rejected value, which may be a secret. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

export interface Setting<T> {
  env: string;
  description: string;
  required: Required;
  /** As written in the environment; undefined for none. */
  default: string | undefined;
  format: string;
  /** @throws SettingError */
  read(text: string): T;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<S> = Readonly<{ [K in keyof S]: S[K] extends Setting<infer T> ? T : never }>;

interface Documentation {
  description: string;
  required?: Required;
}

/** A setting with the text of its default, which is read like a given value. */
type WithDefault<D> = Documentation & { fallback?: D };

/** @param read throws SettingError */
function setting<T>(
  env: string,
  { description, required = 'never', fallback }: WithDefault<string | number | undefined>,
  format: string,
  read: (value: string) => T,
): Setting<T> {
  return { env, description, required, default: fallback?.toString(), format, read };
}

export function text<D extends string | undefined>(env: string, documentation: WithDefault<D>): Setting<string | D> {
  return setting(env, documentation, 'text', (value) => value);
}

export function oneOf<const T extends string>(
  env: string,
  values: readonly T[],
  documentation: Documentation & { fallback: NoInfer<T> },
): Setting<T> {
  return setting(env, documentation, values.map((value) => `\`${value}\``).join(', '), (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found === undefined) throw new SettingError(`must be one of ${values.join(', ')}`);
    return found;
  });
}

export function integer(
  env: string,
  { min, max, ...documentation }: Documentation & { fallback: number; min: number; max: number },
): Setting<number> {
  return setting(env, documentation, `integer, ${min} to ${max}`, (value) => {
    const number = /^\d{1,12}$/.test(value) ? Number(value) : NaN;
    if (!(number >= min && number <= max)) throw new SettingError(`must be an integer from ${min} to ${max}`);
    return number;
  });
}

/** A port, or null for `off`. */
export function optionalPort(env: string, documentation: Documentation & { fallback: number }): Setting<number | null> {
  const port = integer(env, { ...documentation, min: 0, max: 65535 });
  return setting(env, documentation, `${port.format}, or \`off\``, (value) => {
    if (value === 'off') return null;
    try {
      return port.read(value);
    } catch (error) {
      throw error instanceof SettingError ? new SettingError(`${error.message}, or off`) : error;
    }
  });
}

export function root<D extends string | undefined>(env: string, documentation: WithDefault<D>): Setting<string | D> {
  const any = url(env, ['https', 'http'], documentation);
  return setting(env, documentation, any.format, (value) => {
    any.read(value);
    if (!isRequestUrl(value)) throw new SettingError('must be the URL of a host, without a user and a fragment');
    return value;
  });
}

export function allowList(env: string, documentation: Documentation & { fallback: string }): Setting<string> {
  return setting(env, documentation, 'text', (value) => {
    const problems = unreadableAllowEntries(value).map((place) => `entry ${place} is none of ${ALLOW_ENTRY}`);
    if (problems.length > 0) throw new SettingError(problems.join('; '));
    return value;
  });
}

export function requiredUrl(env: string, protocols: readonly string[], description: string): Setting<string> {
  return url<never>(env, protocols, { description, required: 'always' });
}

export function url<D extends string | undefined>(
  env: string,
  protocols: readonly string[],
  documentation: WithDefault<D>,
): Setting<string | D> {
  return setting(env, documentation, `URL (${protocols.join(', ')})`, (value) => {
    const parsed = URL.parse(value);
    if (parsed === null || !protocols.includes(parsed.protocol.slice(0, -1))) {
      throw new SettingError(`must be a URL with the scheme ${protocols.join(' or ')}`);
    }
    return value;
  });
}

/** A URL that paths are appended to. */
export function baseUrl<D extends string | undefined>(env: string, documentation: WithDefault<D>): Setting<string | D> {
  const any = url(env, ['https', 'http'], documentation);
  return setting(env, documentation, any.format, (value) => {
    any.read(value);
    const { username, password } = new URL(value);
    if (/[?#]/.test(value) || username !== '' || password !== '') {
      throw new SettingError('must have no query, no fragment and no user');
    }
    return value;
  });
}

/** A {@link baseUrl}, or null for `off`. */
export function optionalUrl(env: string, documentation: Documentation): Setting<string | null | undefined> {
  const any = baseUrl(env, documentation);
  return setting(env, documentation, `${any.format}, or \`off\``, (value) =>
    value === 'off' ? null : (any.read(value) ?? null),
  );
}

/** A URL that contains the placeholder. */
export function urlTemplate(
  env: string,
  placeholder: string,
  documentation: Documentation,
): Setting<string | undefined> {
  const any = url(env, ['https', 'http'], documentation);
  return setting(env, documentation, `${any.format} with \`${placeholder}\``, (value) => {
    any.read(value);
    if (!value.includes(placeholder)) throw new SettingError(`must contain ${placeholder}`);
    return value;
  });
}

/** An issuer (OpenID Connect Discovery §3): https without query and fragment; plain http on loopback only. */
export function issuer(env: string, documentation: Documentation): Setting<string | undefined> {
  const any = baseUrl(env, documentation);
  return setting(env, documentation, any.format, (value) => {
    any.read(value);
    const { protocol, hostname } = new URL(value);
    const isHere = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
    if (protocol === 'http:' && !isHere) throw new SettingError('must be https, unless it is on this machine');
    return value;
  });
}

export function ratio(env: string, documentation: Documentation & { fallback: number }): Setting<number> {
  return setting(env, documentation, 'number, 0 to 1', (value) => {
    const number = /^(0|1|[01]?\.\d{1,9})$/.test(value) ? Number(value) : NaN;
    if (!(number <= 1)) throw new SettingError('must be a number from 0 to 1');
    return number;
  });
}

/** A token (RFC 9110 §5.6.2): a header name or a key of W3C Baggage. */
const KEY = /^[\w!#$%&'*+.^`|~-]+$/;
const PRINTABLE = /^[\x20-\x7e\u0080-\uffff]*$/;

/** W3C Baggage: `name=value,other=value`, values percent-encoded. */
export function keyValues(env: string, documentation: Documentation): Setting<Record<string, string> | undefined> {
  const bad = new SettingError('must be name=value, separated by commas, with percent-encoded values');
  return setting(env, documentation, '`name=value`, separated by commas', (value) => {
    const entries = value.split(',').map((entry) => {
      const [, key = '', encoded = ''] = /^\s*([^=]*?)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
      try {
        const decoded = decodeURIComponent(encoded);
        if (KEY.test(key) && PRINTABLE.test(decoded)) return [key, decoded];
      } catch {
        // Replaced below: the message would quote the value.
      }
      throw bad;
    });
    return Object.fromEntries(entries) as Record<string, string>;
  });
}

export function configurationTable(settings: readonly Setting<unknown>[]): string {
  const rows = settings.map((setting) => [
    `\`${setting.env}\``,
    setting.description,
    setting.format,
    defaultOf(setting),
  ]);
  return table([['Variable', 'Meaning', 'Value', 'Default'], ...rows]);
}

function defaultOf(setting: Setting<unknown>): string {
  if (setting.required === 'always') return 'required';
  const fallback = setting.default === undefined || setting.default === '' ? 'none' : `\`${setting.default}\``;
  return setting.required === 'production' ? `${fallback}; required in production` : fallback;
}

/** Pads columns as prettier formats Markdown tables. */
function table(rows: string[][]): string {
  const header = rows[0] ?? [];
  const widths = header.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (cells: string[]): string => `| ${cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(' | ')} |`;
  const separator = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  return [line(header), separator, ...rows.slice(1).map(line)].join('\n') + '\n';
}
