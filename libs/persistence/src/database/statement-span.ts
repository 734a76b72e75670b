import { SpanKind, type Attributes, type Span } from '@opentelemetry/api';
import pg from 'pg';
import { inSpan, isRecording } from '#platform/telemetry';
import type { Statement } from './database.js';

/** Bounds the cache: generated statements have unlimited texts. */
const MAX_CACHED_VERBS = 1_000;
const VERBS: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES']);
const TOKENS = /'[^']*'|"[^"]*"|[()]|\w+/g;
const verbs = new Map<string, string>();

export function databaseAttributes(databaseUrl: string): Attributes {
  // Not connected: parses the URL as the driver does.
  const { host, port, database } = new pg.Client({ connectionString: databaseUrl });
  return {
    'db.system.name': 'postgresql',
    'server.address': host,
    'server.port': port,
    ...(database !== undefined && { 'db.namespace': database }),
  };
}

/** The span includes the wait for a connection. It names the statement but never contains its text or values. */
export function inStatementSpan<T>(
  statement: Pick<Statement, 'name' | 'text'>,
  database: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (!isRecording()) return work();
  const verb = verbOf(statement.text);
  const summary = statement.name ?? verb;
  const attributes = { ...database, 'db.operation.name': verb, 'db.query.summary': summary };
  return inSpan(summary, { kind: SpanKind.CLIENT, attributes }, (span) => recordingErrorCode(span, work));
}

async function recordingErrorCode<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code !== undefined) {
      span.setAttribute('db.response.status_code', error.code);
    }
    throw error;
  }
}

/** Returns `SELECT`, `COMMIT`, …; for `with`, the verb after the common table expressions. */
function verbOf(text: string): string {
  const known = verbs.get(text);
  if (known !== undefined) return known;
  const verb = readVerb(text);
  if (verbs.size < MAX_CACHED_VERBS) verbs.set(text, verb);
  return verb;
}

function readVerb(text: string): string {
  const first = /^[\s(]*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'UNKNOWN';
  if (first !== 'WITH') return first;
  let depth = 0;
  for (const [token] of text.matchAll(TOKENS)) {
    if (token === '(') depth += 1;
    else if (token === ')') depth -= 1;
    else if (depth === 0 && VERBS.has(token.toUpperCase())) return token.toUpperCase();
  }
  return first;
}
