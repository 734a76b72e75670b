import { afterEach, describe, expect, it } from '@jest/globals';
import { SpanKind, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { recordSpans } from '../../../test/support/recorded-spans.js';
import { queueTelemetry } from './queue-telemetry.js';

describe('queueTelemetry', () => {
  afterEach(() => trace.disable());

  it('is none when nothing is traced', () => {
    expect(queueTelemetry()).toEqual({});
  });

  it('N55 tells of jobs, not of questions for jobs, and not why one failed', () => {
    const recorded = recordSpans();
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    const { tracer, contextManager } = queueTelemetry().telemetry!;
    const start = (name: string, kind: SpanKind) => tracer.startSpan(name, { kind: kind as never });
    const question = start('getNextJob', SpanKind.INTERNAL);
    expect(question.setSpanOnContext(contextManager.active())).toBe(contextManager.active());
    question.setAttributes({ 'bullmq.job.id': '1' });
    question.end();
    const job = start('process calendar-looks', SpanKind.CONSUMER);
    job.setAttributes({ 'bullmq.job.id': '1', 'bullmq.job.failed.reason': 'canary', 'bullmq.job.result': 'canary' });
    job.setAttribute('bullmq.job.name', 'look');
    job.setAttribute('bullmq.queue.options', 'canary');
    job.addEvent('canary');
    job.recordException(new TypeError('canary'));
    job.end();
    const [span, ...others] = exporter.getFinishedSpans();
    recorded.stop();
    expect(others).toEqual([]);
    expect([span?.name, span?.kind, span?.events]).toEqual(['process calendar-looks', SpanKind.CONSUMER, []]);
    expect(span?.attributes).toEqual({ 'bullmq.job.id': '1', 'bullmq.job.name': 'look', 'error.type': 'TypeError' });
  });

  it('hands on the trace of who adds a job', () => {
    const recorded = recordSpans();
    trace.setGlobalTracerProvider(new TracerProvider());
    const { tracer, contextManager } = queueTelemetry().telemetry!;
    const span = tracer.startSpan('add', { kind: SpanKind.PRODUCER as never });
    const metadata = contextManager.getMetadata(span.setSpanOnContext(contextManager.active()));
    recorded.stop();
    expect(metadata).toMatch(/^\{"traceparent":"00-[0-9a-f]{32}-[0-9a-f]{16}-01"\}$/);
  });
});
