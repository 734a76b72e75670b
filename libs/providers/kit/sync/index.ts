export { comparedCalendars } from './compared-calendars.js';
export { ComparedReads, snapshotScope, type ComparedView, type Extent, type ShownItem } from './compared-reads.js';
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
