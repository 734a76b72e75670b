import { useEffect, useState } from 'react';

/**
 * The token in the fragment of the address, which reaches no server. It is taken out of the address at once: addresses
 * stay in histories and on screens.
 */
export function useTokenInAddress(): string {
  const [token] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    if (window.location.hash !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  return token;
}
