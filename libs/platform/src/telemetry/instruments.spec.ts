import { describe, expect, it } from '@jest/globals';
import { recordSpans } from '../../testing/recorded-spans.js';
import { CATALOGUE, UNKNOWN, type MetricName } from './catalogue.js';
import { beforeScrape, beginMeasuring, exposition } from './exposition.js';
import { counter, gauge, histogram, registerProviders, registerLabelValues } from './instruments.js';
import { inSpan } from './tracing.js';

const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0,text/plain;q=0.5';

beginMeasuring({ version: '9.9.9', component: 'api' });
registerProviders(['GOOGLE']);

async function lines(startingWith: string, accept?: string): Promise<string[]> {
  return (await exposition(accept)).body.split('\n').filter((line) => line.startsWith(startingWith));
}

describe('instruments', () => {
  it('do not take names, labels or values that the catalogue does not know', () => {
    // Never run: the compiler is what refuses.
    const rejected = () => {
      // @ts-expect-error -- no such metric
      counter('calendar_surprises_total');
      // @ts-expect-error -- a gauge is no counter
      counter('calendar_messages');
      // @ts-expect-error -- no such label
      counter('calendar_requests_shed_total').add(1, { cause: 'overload' });
      // @ts-expect-error -- no such value
      counter('calendar_requests_shed_total').add(1, { reason: 'weather' });
      // @ts-expect-error -- a label is missing
      histogram('calendar_job_duration_seconds').observe(1, { task: 'look' });
      // @ts-expect-error -- there are no labels
      gauge('calendar_database_connections_max').add(1, { state: 'used' });
    };
    expect(rejected).toBeInstanceOf(Function);
  });

  it('count, add up and measure', async () => {
    counter('calendar_requests_shed_total').add(2, { reason: 'overload' });
    counter('calendar_requests_shed_total').add(1, { reason: 'overload' });
    gauge('calendar_database_connections_max').add(1);
    gauge('calendar_database_connections_max').add(-1);
    histogram('calendar_change_lag_seconds').observe(0.3, { provider: 'GOOGLE' });
    expect(await lines('calendar_requests_shed_total')).toEqual([
      'calendar_requests_shed_total{reason="overload"} 3',
      'calendar_requests_shed_total{reason="rate_limit"} 0',
      'calendar_requests_shed_total{reason="draining"} 0',
    ]);
    expect(await lines('calendar_database_connections_max')).toEqual(['calendar_database_connections_max 0']);
    expect(await lines('calendar_change_lag_seconds_bucket{le="0.25"')).toEqual([expect.stringMatching(/ 0$/)]);
    expect(await lines('calendar_change_lag_seconds_bucket{le="0.5"')).toEqual([expect.stringMatching(/ 1$/)]);
    expect(await lines('calendar_change_lag_seconds_sum')).toEqual([expect.stringMatching(/ 0\.3$/)]);
  });

  it('N55 cannot be made to have more series than their labels have values, whatever is thrown at them', async () => {
    const garbage = (i: number) =>
      ['019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5', 'ada@example.com', 'a"b\\', 'GET\n*', '-', 'é'].map(
        (text) => text + (i % 50 === 0 ? '' : String(i)),
      );
    registerLabelValues('http_server_request_duration_seconds', 'http_route', ['/api/v1/calendars']);
    const seriesOf = async (name: string) =>
      (await lines(name)).filter(
        (line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `) || line.startsWith(`${name}_count`),
      );
    for (const [name, definition] of Object.entries(CATALOGUE)) {
      const { kind } = definition;
      const labels = Object.keys(definition.labels);
      const before = await seriesOf(name);
      for (let i = 0; i < 200; i += 1) {
        for (const text of garbage(i)) {
          const thrown = Object.fromEntries(labels.map((label) => [label, text]));
          if (kind === 'counter') (counter as any)(name).add(1, thrown);
          if (kind === 'gauge') (gauge as any)(name).set(1, thrown);
          if (kind === 'histogram') (histogram as any)(name).observe(1, thrown);
        }
      }
      const series = await seriesOf(name);
      expect([name, series.length]).toEqual([name, before.length + (labels.length > 0 || before.length === 0 ? 1 : 0)]);
      if (labels.length > 0) expect(series.join()).toContain(`${labels[0]}="${UNKNOWN}"`);
      for (const text of garbage(1)) if (text.length > 3) expect(series.join()).not.toContain(text);
    }
  });

  it('begin at zero for providers that become known later, and take no others', async () => {
    const notifications = counter('calendar_notifications_total');
    registerProviders(['GOOGLE', 'NEW']);
    notifications.add(1, { provider: 'NOBODY', outcome: 'accepted' });
    const series = await lines('calendar_notifications_total{');
    expect(series).toContain('calendar_notifications_total{provider="NEW",outcome="accepted"} 0');
    expect(series.join()).not.toContain('NOBODY');
  });

  it('show nothing of what is counted while nothing is known', async () => {
    const due = gauge('calendar_messages');
    const age = gauge('calendar_oldest_due_message_age_seconds');
    for (const one of [due, age]) one.clear();
    expect(await lines('calendar_messages')).toEqual([]);
    expect(await lines('calendar_oldest_due_message_age_seconds')).toEqual([]);
    due.set(7, { state: 'due' });
    age.set(0);
    expect(await lines('calendar_messages')).toEqual(['calendar_messages{state="due"} 7']);
    expect(await lines('calendar_oldest_due_message_age_seconds')).toEqual([
      'calendar_oldest_due_message_age_seconds 0',
    ]);
  });
});

describe('exemplars', () => {
  const calls = histogram('calendar_provider_call_duration_seconds');
  const observe = () => calls.observe(0.2, { provider: 'GOOGLE', operation: 'events.list', outcome: 'ok' });
  const bucketOf = async (accept: string) => {
    const start = 'calendar_provider_call_duration_seconds_bucket{le="0.25",provider="GOOGLE"';
    return (await lines(start, accept))[0];
  };

  it('name the running trace when it is exported, and no other one', async () => {
    observe();
    const recorded = recordSpans();
    await inSpan('a request', { traceparent: null }, async () => observe());
    recorded.stop();
    const traceId = recorded.spans()[0]?.traceId;
    expect(await bucketOf(OPEN_METRICS)).toMatch(new RegExp(`} 2 # {trace_id="${traceId}"} 0.2 [\\d.]+$`));
    expect(await bucketOf('text/plain')).toMatch(/} 2$/);
  });

  it('name the trace that is told', async () => {
    calls.observe(0.2, { provider: 'GOOGLE', operation: 'events.list', outcome: 'ok' }, 'f'.repeat(32));
    expect(await bucketOf(OPEN_METRICS)).toContain(`{trace_id="${'f'.repeat(32)}"}`);
  });
});

describe('exposition', () => {
  it('is OpenMetrics for who knows it, and the older format for others', async () => {
    counter('calendar_requests_shed_total').add(1, { reason: 'draining' });
    const open = await exposition(OPEN_METRICS);
    expect(open.contentType).toContain('application/openmetrics-text');
    expect(open.body).toContain('# TYPE calendar_requests_shed counter\n');
    expect(open.body.endsWith('# EOF\n')).toBe(true);
    const plain = await exposition('text/plain');
    expect(plain.contentType).toContain('text/plain; version=0.0.4');
    expect(plain.body).toContain('# TYPE calendar_requests_shed_total counter\n');
    expect(plain.body).toContain('# HELP calendar_requests_shed_total Requests shed');
    expect(plain.body).not.toContain('# EOF');
  });

  it('names everything of the catalogue, and what Node tells of itself', async () => {
    const { body } = await exposition(undefined);
    for (const name of Object.keys(CATALOGUE) as MetricName[]) {
      expect(body).toContain(`# TYPE ${name} ${CATALOGUE[name].kind}\n`);
    }
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'nodejs_gc_duration_seconds',
      'process_resident_memory_bytes',
    ]) {
      expect(body).toContain(`# TYPE ${name} `);
    }
  });

  it('writes what is no number as both formats do', async () => {
    gauge('calendar_database_connections_max').set(Number.NaN);
    expect(await lines('calendar_database_connections_max')).toEqual(['calendar_database_connections_max NaN']);
  });

  it('waits for those who bring gauges up to date, until they end that', async () => {
    const end = beforeScrape(async () => gauge('calendar_database_connections_max').set(5));
    expect(await lines('calendar_database_connections_max')).toEqual(['calendar_database_connections_max 5']);
    gauge('calendar_database_connections_max').set(1);
    end();
    expect(await lines('calendar_database_connections_max')).toEqual(['calendar_database_connections_max 1']);
  });
});
