export { CollectedRead, KeptReads, type SnapshotItem } from './kept-reads.js';
export { syncCalendarsBySnapshot } from './snapshot-calendars.js';
export { SnapshotSync, snapshotScope, type SnapshotView, type Extent } from './snapshot-sync.js';
export {
  areTexts,
  cursorFields,
  isTextOrNull,
  keyedPage,
  readKeyedPage,
  readSnapshotBasis,
  sliceAfter,
  tokenExpired,
  tokenForeign,
} from './cursors.js';
export { MAX_WALK, PageSize, piecesOf, tooMuch, type ListPage } from './pages.js';
export { sortedBy, sortedById } from './sorted-by.js';
