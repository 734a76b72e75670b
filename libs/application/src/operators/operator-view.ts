import type { Operator } from '#domain';

export interface OperatorView extends Omit<Operator, 'createdAt' | 'lastLoginAt'> {
  createdAt: string;
  /** null: never yet. */
  lastLoginAt: string | null;
}

export function toOperatorView({ createdAt, lastLoginAt, ...operator }: Operator): OperatorView {
  return { ...operator, createdAt: createdAt.toISOString(), lastLoginAt: lastLoginAt?.toISOString() ?? null };
}
