import type { Operator, OperatorRole } from '#domain';

export interface OperatorRow {
  id: string;
  email: string;
  name: string;
  role: OperatorRole;
  has_password: boolean;
  created_at: Date;
  last_login_at: Date | null;
}

/** Of the table `operator`, as `o`. */
export const OPERATOR_COLUMNS =
  'o.id, o.email, o.name, o.role, o.password_hash is not null as has_password, o.created_at, o.last_login_at';

export function toOperator(row: OperatorRow): Operator {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    hasPassword: row.has_password,
    createdAt: row.created_at,
    lastLoginAt: row.last_login_at,
  };
}
