import type { Api } from '../../api/index.js';

export const ROLES: { value: Api.OperatorRole; label: string }[] = [
  { value: 'viewer', label: 'Viewer' },
  { value: 'admin', label: 'Admin' },
];
