import type { Request } from 'express';

const ROOT = '/api';
const API = `${ROOT}/`;
const OPERATORS = `${API}operator/`;
/** Notifications of providers: many, and no request of anybody who could ask about it. */
const PROVIDERS = `${API}v1/providers/`;

/** Nothing was there: what was asked for may hold anything, and is not kept. */
export const NO_ROUTE = '*';

/** Whether a request belongs into the request log. Operators' looks do not: the dashboard asks every few seconds. */
export function isRecorded(method: string, url: string): boolean {
  if (!url.startsWith(API) || url.startsWith(PROVIDERS)) return false;
  return !url.startsWith(OPERATORS) || (method !== 'GET' && method !== 'HEAD');
}

/** The path of the route that took a request, with the names of its parameters: `/api/v1/endUserAccounts/:endUserAccountId`. */
export function fullRouteOf(request: Pick<Request, 'route'>): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' && path.startsWith(API) ? path : NO_ROUTE;
}

/** The same as operators know it: `/v1/endUserAccounts/:endUserAccountId`. */
export function routeOf(request: Pick<Request, 'route'>): string {
  const route = fullRouteOf(request);
  return route === NO_ROUTE ? route : route.slice(ROOT.length);
}
