export {
  asInvalid,
  continueFrom,
  endBefore,
  formatTimes,
  icsTimeOf,
  isDateLine,
  isRecurrenceLine,
  isRuleLine,
  readRecurrence,
  shiftRecurrence,
  type SeriesFrame,
} from '#event-rules';
