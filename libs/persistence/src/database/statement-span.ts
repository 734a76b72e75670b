import { SpanKind } from '@opentelemetry/api';
import { inSpan, isTraced } from '#telemetry';
import type { Statement } from './database.js';

/** The wait for a connection included. What is asked is named, never told: values and texts of statements stay here. */
export function inStatementSpan<T>(statement: Pick<Statement, 'name' | 'text'>, work: () => Promise<T>): Promise<T> {
  if (!isTraced()) return work();
  const operation = statement.name ?? firstWord(statement.text);
  const attributes = { 'db.system.name': 'postgresql', 'db.operation.name': operation };
  return inSpan(operation, { kind: SpanKind.CLIENT, attributes }, work);
}

function firstWord(text: string): string {
  return /^\s*(\w+)/.exec(text)?.[1]?.toUpperCase() ?? 'UNKNOWN';
}
