import { SettingError, type Setting } from './setting.js';

const KEY_BYTES = 32;

/** 32 random bytes have about 30 different values; fewer than 12 occur with a probability below 10⁻¹². */
const MIN_DISTINCT_BYTES = 12;

/** Words that occur only in typed or copied keys. */
const EXAMPLE_WORDS = /example|change|secret|password|default|insecure|placeholder|0123456789|abcdef/i;

/** Validated at boot, so that a weak key stops the process before it encrypts anything. */
export function encryptionKeys(env: string): Setting<string> {
  return {
    env,
    description:
      'Keys that encrypt stored credentials: `kid:base64` of 32 random bytes each (`openssl rand -base64 32`), ' +
      'comma separated. The first one encrypts, the others still decrypt.',
    required: 'always',
    default: undefined,
    format: 'list of `kid:base64`',
    read(value) {
      const problems: string[] = [];
      const seen = new Set<string>();
      for (const [index, entry] of value.split(',').entries()) {
        const problem = keyProblem(entry.trim(), seen);
        if (problem !== null) problems.push(`key ${index + 1} ${problem}`);
      }
      if (problems.length > 0) throw new SettingError(problems.join('; '));
      return value;
    },
  };
}

function keyProblem(entry: string, seen: Set<string>): string | null {
  const match = /^([A-Za-z0-9._-]{1,64}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry);
  if (match === null) return 'must look like kid:base64 (kid: 1 to 64 letters, digits, dots, dashes)';
  const [, kid = '', encoded = ''] = match;
  if (seen.has(kid)) return 'repeats the id of another key';
  seen.add(kid);
  const key = Buffer.from(encoded, 'base64');
  if (key.length !== KEY_BYTES) return `must be ${KEY_BYTES} bytes, got ${key.length}`;
  if (new Set(key).size < MIN_DISTINCT_BYTES || isTyped(key)) return 'is an example, not a random key';
  return null;
}

/** All bytes printable ASCII: (95/256)³² for random ones. */
function isTyped(key: Buffer): boolean {
  return key.every((byte) => byte >= 0x20 && byte < 0x7f) || EXAMPLE_WORDS.test(key.toString('latin1'));
}
