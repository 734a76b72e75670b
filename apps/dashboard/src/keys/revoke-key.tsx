import type { ReactNode } from 'react';
import { api, segment, useChange } from '../api/index.js';
import { Confirm, notify, When } from '../ui/index.js';

interface RevokeKeyProps {
  /** null closes the dialog. */
  revoked: { id: string; name: string; lastUsedAt: string | null } | null;
  /** Path of the list that the key is in. */
  path: string;
  /** `API key` */
  label: string;
  /** What revoking does. */
  children: ReactNode;
  onClose: () => void;
}

/** Asks before a key is revoked. */
export function RevokeKey({ revoked, path, label, children, onClose }: RevokeKeyProps) {
  const revocation = useChange((id: string) => api.delete(`${path}/${segment(id)}`), {
    refreshes: [path],
    onDone: () => {
      notify(`${label} revoked`);
      onClose();
    },
  });
  const close = () => {
    revocation.reset();
    onClose();
  };
  return (
    <Confirm
      isOpen={revoked !== null}
      onClose={close}
      onConfirm={() => revoked && revocation.mutate(revoked.id)}
      title={`Revoke ${revoked?.name ?? `the ${label}`}?`}
      confirmLabel="Revoke"
      isPending={revocation.isPending}
      error={revocation.error}
    >
      {children} Last used: <When at={revoked?.lastUsedAt ?? null} />.
    </Confirm>
  );
}
