import { timingSafeEqual } from 'node:crypto';

/** Parses a Basic Authorization header (RFC 6749 §2.3.1); undefined without one. */
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

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined. */
function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? '';
}
