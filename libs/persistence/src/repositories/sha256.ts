import { createHash } from 'node:crypto';

/** What keys are made of that may be longer than an index takes, or are not to be read in a dump. */
export function sha256(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest();
}
