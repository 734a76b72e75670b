import type { GraphRequest } from '../contract.js';

/** A request, with the address that it came to. */
export interface Call extends GraphRequest {
  /** Absolute, without a query. */
  url: string;
  /** The path names no calendar, and means every event of the user's own. */
  isAnyOwn: boolean;
}
