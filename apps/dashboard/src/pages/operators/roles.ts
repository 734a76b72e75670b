import type { OperatorRole } from '#operator-api';

export const ROLES: { value: OperatorRole; label: string }[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'admin', label: 'Admin' },
];
