import { SpanKind, type Attributes, type Span } from '@opentelemetry/api';
import pg from 'pg';
import { inSpan, isTraced } from '#platform/telemetry';
import type { Statement } from './database.js';

/** Of statements whose text is no constant there is no end. */
const MOST_VERBS = 1_000;
const VERBS: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'VALUES']);
/** Quoted texts and names, parentheses, words. */
const TOKENS = /'[^']*'|"[^"]*"|[()]|\w+/g;
const verbs = new Map<string, string>();

/** Which database is asked, as OpenTelemetry names that. */
export function databaseAttributes(databaseUrl: string): Attributes {
  // It connects when it is told to, and knows the driver's reading of the URL.
  const { host, port, database } = new pg.Client({ connectionString: databaseUrl });
  return {
    'db.system.name': 'postgresql',
    'server.address': host,
    'server.port': port,
    ...(database !== undefined && { 'db.namespace': database }),
  };
}

/** The wait for a connection included. What is asked is named, never told: values and texts of statements stay here. */
export function inStatementSpan<T>(
  statement: Pick<Statement, 'name' | 'text'>,
  database: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  if (!isTraced()) return work();
  const verb = verbOf(statement.text);
  const summary = statement.name ?? verb;
  const attributes = { ...database, 'db.operation.name': verb, 'db.query.summary': summary };
  return inSpan(summary, { kind: SpanKind.CLIENT, attributes }, (span) => noting(span, work));
}

async function noting<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code !== undefined) {
      span.setAttribute('db.response.status_code', error.code);
    }
    throw error;
  }
}

/** `SELECT`, `COMMIT`, …; of a statement that begins with common table expressions, what follows them. */
function verbOf(text: string): string {
  const known = verbs.get(text);
  if (known !== undefined) return known;
  const verb = readVerb(text);
  if (verbs.size < MOST_VERBS) verbs.set(text, verb);
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
