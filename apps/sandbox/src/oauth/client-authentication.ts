import { timingSafeEqual } from 'node:crypto';

/** Of an Authorization header with the Basic scheme (RFC 6749 §2.3.1); undefined: there is none. */
export function basicCredentials(header: string | undefined): { clientId: string; clientSecret: string } | undefined {
  const encoded = /^Basic +([\w+/=-]+)$/i.exec(header ?? '')?.[1];
  if (encoded === undefined) return undefined;
  const [clientId = '', ...secret] = Buffer.from(encoded, 'base64').toString('utf8').split(':').map(formDecoded);
  return { clientId, clientSecret: secret.join(':') };
}

export function isSameSecret(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** RFC 6749 §2.3.1: both halves are form-encoded before they are joined. */
function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? '';
}
