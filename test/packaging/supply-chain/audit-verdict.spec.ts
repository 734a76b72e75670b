import { describe, expect, it } from '@jest/globals';

const { verdictOf } = (await import(new URL('./audit-verdict.mjs', import.meta.url).href)) as {
  verdictOf(report: string): { code: number; text: string };
};

const report = (vulnerabilities: object[], counts: Record<string, number>) =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(vulnerabilities.map((one: any) => [one.name, one])),
    metadata: { vulnerabilities: { low: 0, moderate: 0, high: 0, critical: 0, ...counts, total: 9 } },
  });

describe('N65 the audit', () => {
  it('is clean when nothing is high or critical', () => {
    const moderate = { name: 'a', severity: 'moderate', range: '<1' };
    expect(verdictOf(report([], {}))).toEqual({ code: 0, text: 'AUDITED: nothing high or critical (nothing at all)' });
    expect(verdictOf(report([moderate], { moderate: 1 }))).toEqual({
      code: 0,
      text: 'AUDITED: nothing high or critical (1 moderate)',
    });
  });

  it.each(['high', 'critical'])('names what is %s', (severity) => {
    expect(verdictOf(report([{ name: 'a', severity, range: '<1.2.3' }], { [severity]: 1 }))).toEqual({
      code: 1,
      text: `VULNERABLE: 1 ${severity}\n  ${severity}: a <1.2.3`,
    });
  });

  it.each([
    ['{"message":"405 Method Not Allowed","error":{"summary":""}}', '405 Method Not Allowed'],
    ['{"error":{"code":"ENOTFOUND","summary":"request failed"}}', 'request failed'],
    ['{}', 'npm gave no list of vulnerabilities'],
    ['', 'npm gave no report'],
  ])('is no success when the registry does not answer: %s', (text, reason) => {
    expect(verdictOf(text)).toEqual({ code: 3, text: `NOT AUDITED: ${reason}` });
  });
});
