import type { StoredSigningSecrets } from '#domain/webhooks';
import type { FieldCipher, FieldLocation } from '../encryption/field-cipher.js';

interface SecretsJson {
  active: string;
  retiring: { secret: string; endsAt: string }[];
}

export function sealSecrets(cipher: FieldCipher, endpointId: string, secrets: StoredSigningSecrets): Buffer {
  return cipher.sealJson(location(endpointId), secrets);
}

/** @throws FieldCipherError */
export function openSecrets(cipher: FieldCipher, endpointId: string, sealed: Buffer): StoredSigningSecrets {
  return toSecrets(cipher.openJson(location(endpointId), sealed));
}

export function toSecrets(json: unknown): StoredSigningSecrets {
  const { active, retiring } = json as SecretsJson;
  return { active, retiring: retiring.map(({ secret, endsAt }) => ({ secret, endsAt: new Date(endsAt) })) };
}

function location(rowId: string): FieldLocation {
  return { table: 'webhook_endpoint', column: 'secrets', rowId };
}
