import { useEffect, useState } from 'react';

/** Reads the token from the URL fragment, which reaches no server, and removes it from the URL and history. */
export function useTokenInUrl(): string {
  const [token] = useState(() => window.location.hash.slice(1));
  useEffect(() => {
    if (window.location.hash !== '') window.history.replaceState(window.history.state, '', window.location.pathname);
  }, []);
  return token;
}
