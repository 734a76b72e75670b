import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from './processes.js';
import { bytesOf, integer, messages, readMessage, type Fields } from './protobuf.js';

type Value = string | number | boolean;

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  /** '' for the first of a trace. */
  parentSpanId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes: Record<string, Value>;
  links: { traceId: string; spanId: string }[];
  events: string[];
  isFailed: boolean;
  /** `service.name` */
  service: string;
}

/** A collector of OpenTelemetry: takes traces over OTLP (protobuf over HTTP) and keeps them. */
export class OtlpCollector {
  readonly spans: CollectedSpan[] = [];
  /** Who sent them, once for each export. */
  readonly resources: Record<string, Value>[] = [];
  /** Everything that was sent, as it came. */
  readonly bodies: Buffer[] = [];
  readonly requests: { path: string; headers: Record<string, string> }[] = [];

  private constructor(private readonly server: Server) {}

  static async start(): Promise<OtlpCollector> {
    const server = createServer();
    const collector = new OtlpCollector(server);
    server.on('request', (request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        collector.take(request.url ?? '', request.headers as Record<string, string>, Buffer.concat(pieces));
        response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return collector;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Spans of a trace, in the order of their arrival. */
  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  /** Waits for a span. */
  async collects(what: string, isIt: (span: CollectedSpan) => boolean): Promise<CollectedSpan> {
    try {
      return await eventually(what, () => this.spans.find(isIt));
    } catch (cause) {
      const names = this.spans.map(({ name, service }) => `${service}: ${name}`).join('\n');
      throw new Error(`${what} was not collected, but\n${names}`, { cause });
    }
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private take(path: string, headers: Record<string, string>, body: Buffer): void {
    this.requests.push({ path, headers });
    this.bodies.push(body);
    for (const resourceSpans of messages(readMessage(body), 1)) {
      const resource = messages(resourceSpans, 1)[0];
      const attributes = resource === undefined ? {} : attributesOf(resource, 1);
      this.resources.push(attributes);
      const service = String(attributes['service.name'] ?? '');
      for (const scopeSpans of messages(resourceSpans, 2)) {
        this.spans.push(...messages(scopeSpans, 2).map((span) => toSpan(span, service)));
      }
    }
  }
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const FAILED = 2n;

/** opentelemetry/proto/trace/v1/trace.proto */
function toSpan(span: Fields, service: string): CollectedSpan {
  const status = messages(span, 15)[0];
  return {
    traceId: bytesOf(span, 1).toString('hex'),
    spanId: bytesOf(span, 2).toString('hex'),
    parentSpanId: bytesOf(span, 4).toString('hex'),
    name: bytesOf(span, 5).toString(),
    kind: KINDS[Number(integer(span, 6))] ?? 'internal',
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map((event) => bytesOf(event, 2).toString()),
    links: messages(span, 13).map((link) => ({
      traceId: bytesOf(link, 1).toString('hex'),
      spanId: bytesOf(link, 2).toString('hex'),
    })),
    isFailed: status !== undefined && integer(status, 3) === FAILED,
    service,
  };
}

function attributesOf(message: Fields, number: number): Record<string, Value> {
  return Object.fromEntries(
    messages(message, number).map((entry) => [bytesOf(entry, 1).toString(), valueOf(messages(entry, 2)[0])]),
  );
}

/** opentelemetry/proto/common/v1/common.proto; lists are not told apart from what they hold. */
function valueOf(value: Fields | undefined): Value {
  if (value === undefined) return '';
  if (value.has(1)) return bytesOf(value, 1).toString();
  if (value.has(2)) return integer(value, 2) === 1n;
  if (value.has(3)) return Number(BigInt.asIntN(64, integer(value, 3)));
  return '';
}
