import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { tellValues } from '#platform/telemetry';

/** What Express' router knows of a route. */
export interface ExpressRoute {
  matches: (path: string) => boolean;
  route: { path: unknown; methods: Record<string, boolean> };
}

interface Layer {
  match(path: string): boolean;
  route?: ExpressRoute['route'];
}

/** The routes of an Express application, in their order; the rest of its stack is left out. */
export function routesOf(express: unknown): ExpressRoute[] {
  const { router } = express as { router: { stack: Layer[] } };
  return router.stack.flatMap((layer) =>
    layer.route === undefined ? [] : [{ route: layer.route, matches: (path) => layer.match(path) }],
  );
}

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

/** Its pages and files are no routes, but one address to whoever measures. */
const DASHBOARD = '/dashboard';

/** Says what routes there are: requests are measured by them, and by nothing else that a caller may have written. */
export function tellRoutes(app: NestExpressApplication): void {
  const routes = routesOf(app.getHttpAdapter().getInstance()).map(({ route }) => fullRouteOf({ route }));
  tellValues('http_server_request_duration_seconds', 'http_route', [...routes, DASHBOARD]);
}

/** @param url as it came: routers shorten it on the way */
export function measuredRouteOf(request: Pick<Request, 'route'>, url: string): string {
  return request.route === undefined && url.startsWith(DASHBOARD) ? DASHBOARD : fullRouteOf(request);
}
