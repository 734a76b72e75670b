export { CATALOGUE, metricsTable, UNKNOWN, type MetricDefinition, type MetricName } from './catalogue.js';
export { beforeScrape, beginMeasuring, exposition, type Exposition } from './exposition.js';
export { counter, gauge, histogram, registerProviders, registerLabelValues } from './instruments.js';
export { SAMPLERS, startTracing, type Tracing } from './start-tracing.js';
export {
  withRetryCount,
  currentRepeats,
  currentTraceId,
  currentTraceparent,
  captureTraceContext,
  inSpan,
  isRecording,
  isTracingEnabled,
  markFailed,
  openServerSpan,
  openSpan,
  runInSpan,
  traceIdOf,
  traceparentOf,
  type SpanOptions,
} from './tracing.js';
export type { AttemptOutcomeLabel, CallOutcome, ProviderOperation, Task } from './vocabularies.js';
