export { CATALOGUE, type MetricDefinition, type MetricName } from './catalogue.js';
export { startTracing, type Tracing } from './start-tracing.js';
export { SAMPLERS } from './tracing-settings.js';
export {
  currentTraceId,
  currentTraceparent,
  heldTrace,
  inSpan,
  isTraced,
  isTracing,
  markFailed,
  openServerSpan,
  openSpan,
  runInSpan,
  traceparentOf,
  type SpanOptions,
} from './tracing.js';
