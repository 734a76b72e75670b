/** `npm run simulate -- background`: prints a day of quiet accounts at one Google project as a Markdown table. */
import { simulateDay, type Day } from './background.js';

const REQUESTS_PER_DAY = 900_000;
const DAYS: readonly [string, Omit<Day, 'requestsPerDay'>][] = [
  ['quiet', { accounts: 10_000 }],
  ['1 % of notifications lost', { accounts: 4_000, lost: 0.01 }],
  ['1 % of notifications lost', { accounts: 10_000, lost: 0.01 }],
  ['1 % of notifications lost', { accounts: 29_000, lost: 0.01 }],
  ['all lost from 9 to 10 h', { accounts: 10_000, outage: { from: 9, to: 10 } }],
  ['200 grants revoked', { accounts: 10_000, revoked: 200 }],
  ['200 grants revoked', { accounts: 29_000, revoked: 200 }],
];

const SUBJECTS: Readonly<Record<string, () => void>> = {
  background() {
    const head = ['Day', 'Accounts', 'Requests', 'Near', 'Lost, near: found after', 'Lost, others', 'Dead grants'];
    const row = (cells: readonly string[]) => console.log(`| ${cells.join(' | ')} |`);
    row(head);
    row(head.map(() => '---'));
    for (const [name, day] of DAYS) {
      const { requests, near, nearMinutes, otherMinutes, lost, revokedMinutes, revokedFound } = simulateDay({
        ...day,
        requestsPerDay: REQUESTS_PER_DAY,
      });
      const after = (minutes: number, found: number) => (found === 0 ? '–' : `${minutes.toFixed(1)} min`);
      const facts = [day.accounts, requests, near].map((number) => number.toLocaleString('en-US'));
      const found = [after(nearMinutes, lost), after(otherMinutes, lost), after(revokedMinutes, revokedFound)];
      row([name, ...facts, ...found]);
    }
  },
};

const subject = SUBJECTS[process.argv[2] ?? ''];
if (subject === undefined) {
  console.error(`Usage: npm run simulate -- ${Object.keys(SUBJECTS).join('|')}`);
  process.exitCode = 2;
} else subject();
