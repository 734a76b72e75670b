import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';
import { recordSpans } from '../../testing/recorded-spans.js';
import { samplerOf } from './sdk.js';
import {
  currentTraceId,
  currentTraceparent,
  captureTraceContext,
  inSpan,
  isRecording,
  isTracingEnabled,
  openServerSpan,
  openSpan,
  runInSpan,
} from './tracing.js';

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = `00-${TRACE_ID}-00f067aa0ba902b7-01`;
const UNSAMPLED = `00-${TRACE_ID}-00f067aa0ba902b7-00`;

describe('without an SDK', () => {
  it('nothing is traced, and work is done all the same', async () => {
    expect(isTracingEnabled()).toBe(false);
    const seen = await inSpan('look', { traceparent: CALLER }, async (span) => [
      span.isRecording(),
      isRecording(),
      currentTraceparent(),
      currentTraceId(),
    ]);
    expect(seen).toEqual([false, false, null, undefined]);
    expect(openSpan('look', { traceparent: null })).toBeNull();
    expect(openServerSpan('GET', { traceparent: CALLER }, {})).toBeNull();
    expect(captureTraceContext()(() => 'done')).toBe('done');
  });

  it('what work throws is thrown', async () => {
    await expect(inSpan('look', {}, () => Promise.reject(new TypeError('no')))).rejects.toThrow(TypeError);
  });
});

describe('spans', () => {
  let recorded: ReturnType<typeof recordSpans>;
  beforeEach(() => void (recorded = recordSpans()));
  afterEach(() => recorded.stop());

  it('are parts of what runs, and there is none outside of a trace', async () => {
    await inSpan('alone', {}, async () => undefined);
    expect(recorded.spans()).toEqual([]);
    await inSpan('look', { traceparent: null }, () => inSpan('read', {}, async () => undefined));
    const [read, look] = recorded.spans();
    expect([read?.name, look?.name]).toEqual(['read', 'look']);
    expect(read).toMatchObject({ traceId: look?.traceId, parentSpanId: look?.spanId });
    expect(look?.parentSpanId).toBeUndefined();
  });

  it('go on with the trace that a row kept, whatever runs now', async () => {
    const kept = await inSpan('request', { traceparent: CALLER }, async () => currentTraceparent());
    await inSpan('job', { traceparent: null }, () => inSpan('look', { traceparent: kept }, async () => undefined));
    const [request, look, job] = recorded.spans();
    expect(request).toMatchObject({ traceId: TRACE_ID, parentSpanId: '00f067aa0ba902b7' });
    expect(look).toMatchObject({ traceId: TRACE_ID, parentSpanId: request?.spanId });
    expect(job?.traceId).not.toBe(TRACE_ID);
  });

  it('begin a trace of their own where a row kept none, and are linked to what led to them', async () => {
    await inSpan('job', { traceparent: null }, () =>
      inSpan('deliver', { traceparent: null, linkedTo: CALLER }, async () => undefined),
    );
    const [deliver, job] = recorded.spans();
    expect(deliver?.traceId).not.toBe(job?.traceId);
    expect(deliver?.links).toEqual(['00f067aa0ba902b7']);
  });

  it.each(['', 'nonsense', `ff-${TRACE_ID}-00f067aa0ba902b7-01`, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])(
    'take %p for no trace at all',
    async (traceparent) => {
      await inSpan('look', { traceparent, linkedTo: traceparent }, async () => undefined);
      expect(recorded.spans()).toMatchObject([{ parentSpanId: undefined, links: [] }]);
    },
  );

  it('N55 tell the kind of an error and nothing of what it says', async () => {
    const errors = [
      Object.assign(new Error('canary'), { code: 'ProviderUnavailable' }),
      new TypeError('canary'),
      Object.assign(new Error('canary'), { code: 'canary with spaces' }),
      'canary',
    ];
    for (const error of errors) {
      await inSpan('look', { traceparent: null }, () => Promise.reject(error as Error)).catch(() => undefined);
    }
    expect(recorded.spans().map(({ attributes }) => attributes['error.type'])).toEqual([
      'ProviderUnavailable',
      'TypeError',
      'Error',
      'unknown',
    ]);
    expect(recorded.spans().every(({ isFailed }) => isFailed)).toBe(true);
    expect(JSON.stringify(recorded.spans())).not.toContain('canary');
  });

  it('of a request are those of its caller, and its log lines have the same id', () => {
    const span = openServerSpan('GET', { traceparent: CALLER }, { 'http.request.method': 'GET' });
    const [traceId, inside] = runInSpan(span!, () => [currentTraceId(), isRecording()]);
    span?.end();
    expect([traceId, inside]).toEqual([TRACE_ID, true]);
    expect(recorded.spans()).toMatchObject([{ kind: 'SERVER', traceId: TRACE_ID }]);
  });

  it('belong to who asked, also when their work is done by somebody else', async () => {
    await inSpan('first', { traceparent: null }, async () => {
      const held = captureTraceContext();
      await inSpan('second', { traceparent: null }, () => held(() => inSpan('batch', {}, async () => undefined)));
    });
    const [batch, second, first] = recorded.spans();
    expect(batch).toMatchObject({ name: 'batch', traceId: first?.traceId, parentSpanId: first?.spanId });
    expect(second?.traceId).not.toBe(first?.traceId);
  });

  it('are none of what goes on when all is over', async () => {
    const held = await inSpan('request', { traceparent: null }, async () => captureTraceContext());
    await held(() => inSpan('later', {}, async () => expect(isRecording()).toBe(false)));
    expect(recorded.spans().map(({ name }) => name)).toEqual(['request']);
  });
});

describe('sampling', () => {
  const namesUnder = async (sampler: Parameters<typeof recordSpans>[0], work: () => Promise<unknown>) => {
    const recorded = recordSpans(sampler);
    await work();
    const names = recorded.spans().map(({ name }) => name);
    recorded.stop();
    return names;
  };
  const settings = { otelTracesSampler: 'parentbased_traceidratio', otelTracesSamplerArg: 0 } as const;

  it('does what the caller does', async () => {
    const work = async () => {
      await inSpan('sampled', { traceparent: CALLER }, async () => undefined);
      await inSpan('unsampled', { traceparent: UNSAMPLED }, async () => expect(currentTraceparent()).toBeNull());
    };
    expect(await namesUnder(samplerOf({ ...settings, otelTracesSamplerArg: 1 }), work)).toEqual(['sampled']);
    expect(await namesUnder(samplerOf(settings), work)).toEqual(['sampled']);
  });

  it('keeps nothing of what is not sampled, and no part of it by itself', async () => {
    const work = () =>
      inSpan('request', { traceparent: null }, async () => {
        expect([isRecording(), currentTraceparent(), currentTraceId()]).toEqual([false, null, undefined]);
        await inSpan('account', {}, async () => undefined);
      });
    expect(await namesUnder(samplerOf(settings), work)).toEqual([]);
    expect(await namesUnder(samplerOf({ ...settings, otelTracesSampler: 'always_off' }), work)).toEqual([]);
  });

  it('keeps what goes on from what was kept', async () => {
    const work = async () => {
      await inSpan('repeat', { traceparent: null, linkedTo: CALLER }, async () => undefined);
      await inSpan('other', { traceparent: null, linkedTo: UNSAMPLED }, async () => undefined);
    };
    expect(await namesUnder(samplerOf(settings), work)).toEqual(['repeat']);
  });

  it.each([
    ['always_on', 0, ['caller', 'own']],
    ['always_off', 1, []],
    ['traceidratio', 1, ['caller', 'own']],
    ['traceidratio', 0, []],
    ['parentbased_always_on', 0, ['caller', 'own']],
    ['parentbased_always_off', 1, ['caller']],
    ['parentbased_traceidratio', 1, ['caller', 'own']],
  ] as const)('%s of %p', async (otelTracesSampler, otelTracesSamplerArg, names) => {
    const work = async () => {
      await inSpan('caller', { traceparent: CALLER }, async () => undefined);
      await inSpan('own', { traceparent: null }, async () => undefined);
    };
    expect(await namesUnder(samplerOf({ otelTracesSampler, otelTracesSamplerArg }), work)).toEqual(names);
  });

  it('takes about as many as it is told to', () => {
    const half = samplerOf({ ...settings, otelTracesSamplerArg: 0.5 });
    expect(half.toString()).toContain('0.5');
    expect(half).toBeInstanceOf(ParentBasedSampler);
    expect(half.toString()).toContain(new TraceIdRatioBasedSampler(0.5).toString());
  });
});
