import type { Journal } from '../journal.js';
import { get, remove, type ControlRoute } from './routes.js';

/** Journal entries of these providers, in order of time. @param prefix `/google`, or empty for all */
export function journalControls(prefix: string, journals: readonly Journal[]): ControlRoute[] {
  const inOrder = <T extends { at: string }>(lists: readonly (readonly T[])[]): T[] =>
    lists.flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  const each = (clear: (journal: Journal) => void) => () => journals.forEach(clear);
  return [
    get(`${prefix}/violations`, () => inOrder(journals.map(({ violations }) => violations))),
    remove(
      `${prefix}/violations`,
      each((journal) => journal.clearViolations()),
    ),
    get(`${prefix}/requests`, () => inOrder(journals.map(({ requests }) => requests))),
    remove(
      `${prefix}/requests`,
      each((journal) => journal.clearRequests()),
    ),
  ];
}
