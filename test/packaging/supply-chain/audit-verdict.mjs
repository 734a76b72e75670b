// What came of `npm audit --json`.

/** Exit codes of `npm run audit`: a release needs the first one. */
export const CLEAN = 0;
export const VULNERABLE = 1;
/** The registry did not answer: nothing is known, which is no success. */
export const NOT_AUDITED = 3;

const GRAVE = ['high', 'critical'];

/**
 * @param {string} report what npm wrote to stdout
 * @returns {{ code: number, text: string }}
 */
export function verdictOf(report) {
  let read;
  try {
    read = JSON.parse(report);
  } catch {
    return notAudited('npm gave no report');
  }
  const { vulnerabilities, metadata } = read;
  if (vulnerabilities === undefined || metadata?.vulnerabilities === undefined) {
    return notAudited(read.message ?? read.error?.summary ?? 'npm gave no list of vulnerabilities');
  }
  const grave = Object.values(vulnerabilities).filter(({ severity }) => GRAVE.includes(severity));
  const counts = Object.entries(metadata.vulnerabilities)
    .filter(([severity, count]) => severity !== 'total' && count > 0)
    .map(([severity, count]) => `${count} ${severity}`);
  if (grave.length === 0) {
    return { code: CLEAN, text: `AUDITED: nothing high or critical (${counts.join(', ') || 'nothing at all'})` };
  }
  const named = grave.map(({ name, severity, range }) => `  ${severity}: ${name} ${range}`);
  return { code: VULNERABLE, text: [`VULNERABLE: ${counts.join(', ')}`, ...named].join('\n') };
}

function notAudited(reason) {
  return { code: NOT_AUDITED, text: `NOT AUDITED: ${reason}` };
}
