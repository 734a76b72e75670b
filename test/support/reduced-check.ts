import { appendFileSync } from 'node:fs';

/**
 * Says that a test passed by a weaker check than it is named for, because this machine does not allow the real one.
 * `npm test` and `npm run test:faults` list it at their end.
 * @param what the test, as it is named @param why what is missing here
 */
export function reducedCheck(what: string, why: string): void {
  const { NOT_PROVED_FILE: file } = process.env;
  if (file === undefined) console.warn(`NOT PROVED ${what}: ${why}`);
  else appendFileSync(file, `${JSON.stringify({ what, why })}\n`);
}
