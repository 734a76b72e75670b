export { CATALOGUE, type MetricDefinition, type MetricName } from './catalogue.js';
export { currentTraceparent, inSpan, type SpanOptions } from './tracing.js';
