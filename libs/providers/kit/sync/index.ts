export { CollectedRead, KeptReads } from './kept-reads.js';
export { syncCalendarsBySnapshot } from './snapshot-calendars.js';
export { SnapshotSync, snapshotScope, type SnapshotView, type Extent, type SnapshotItem } from './snapshot-sync.js';
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
export { MAX_WALK, piecesOf, tooMuch, walkPages, type ListPage } from './pages.js';
export { sortedBy, sortedById } from './sorted-by.js';
