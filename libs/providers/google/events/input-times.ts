export { changedSpan, newSpan, shiftedSpan, spanFrom, type InputFrame, type Span } from '#event-rules';
