import type { Operator } from '#domain';
import type { OperatorView } from '#operator-api';

export function toOperatorView({ createdAt, lastLoginAt, ...operator }: Operator): OperatorView {
  return { ...operator, createdAt: createdAt.toISOString(), lastLoginAt: lastLoginAt?.toISOString() ?? null };
}
