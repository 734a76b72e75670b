import { EgressError } from '#egress';

/** An answer of an API that answers with one object, always. @throws EgressError bad-answer */
export function jsonObject(body: Buffer): object {
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new EgressError('bad-answer', { rule: 'json' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EgressError('bad-answer', { rule: 'json object' });
  }
  return value;
}
