/**
 * Requests and answers of the operator API, `/api/operator/v1`: what the api serves and the dashboard asks for. Instants are
 * ISO 8601 in UTC. Errors come in the envelope of the public API.
 */
export type * from './accounts.js';
export type * from './applications.js';
export type * from './deliveries.js';
export type * from './overview.js';
export type * from './paging.js';
export type * from './providers.js';
export type * from './session.js';
