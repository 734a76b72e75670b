import { afterEach, describe, expect, it } from '@jest/globals';
import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { recordSpans } from '#platform/testing/recorded-spans';
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
    const job = start('process calendar-syncs', SpanKind.CONSUMER);
    job.setAttributes({ 'bullmq.job.id': '1', 'bullmq.job.failed.reason': 'canary', 'bullmq.job.result': 'canary' });
    job.setAttribute('bullmq.job.name', 'look');
    job.setAttribute('bullmq.queue.options', 'canary');
    job.addEvent('canary');
    job.recordException(new TypeError('canary'));
    job.end();
    const [span, ...others] = exporter.getFinishedSpans();
    recorded.stop();
    expect(others).toEqual([]);
    expect([span?.name, span?.kind, span?.events]).toEqual(['process calendar-syncs', SpanKind.CONSUMER, []]);
    expect(span?.status.code).toBe(SpanStatusCode.ERROR);
    expect(span?.attributes).toEqual({
      'messaging.system.name': 'bullmq',
      'messaging.operation.name': 'process',
      'messaging.operation.type': 'process',
      'messaging.destination.name': 'calendar-syncs',
      'messaging.message.id': '1',
      'bullmq.job.name': 'look',
      'error.type': 'TypeError',
    });
  });

  it('names what is done with a queue, not with each of its jobs', () => {
    const recorded = recordSpans();
    const exporter = new InMemorySpanExporter();
    trace.setGlobalTracerProvider(new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }));
    const { tracer } = queueTelemetry().telemetry!;
    for (const name of ['add calendar-syncs.look', 'addBulk webhook-deliveries']) {
      const span = tracer.startSpan(name, { kind: SpanKind.PRODUCER as never });
      span.setAttributes({ 'bullmq.job.bulk.count': 2, 'bullmq.job.bulk.names': ['canary'] });
      span.end();
    }
    recorded.stop();
    const batch = {
      'messaging.system.name': 'bullmq',
      'messaging.operation.type': 'send',
      'messaging.batch.message_count': 2,
    };
    expect(exporter.getFinishedSpans().map(({ name, attributes }) => [name, attributes])).toEqual([
      [
        'add calendar-syncs',
        { ...batch, 'messaging.operation.name': 'add', 'messaging.destination.name': 'calendar-syncs' },
      ],
      [
        'addBulk webhook-deliveries',
        { ...batch, 'messaging.operation.name': 'addBulk', 'messaging.destination.name': 'webhook-deliveries' },
      ],
    ]);
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
