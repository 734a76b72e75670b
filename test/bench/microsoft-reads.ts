import { EXPAND_OWN } from '../../libs/providers/microsoft/events/own-properties.js';
import { preferHeader } from '../../libs/providers/microsoft/graph-transport.js';

/** What a read asks of Graph, so that its answer has everything that the service shows. */
export const ASKED = {
  headers: { prefer: preferHeader(undefined) },
  query: { $expand: encodeURIComponent(EXPAND_OWN) },
} as const;
