import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { registerLabelValues } from '#platform/telemetry';

export interface ExpressRoute {
  matches: (path: string) => boolean;
  route: { path: unknown; methods: Record<string, boolean> };
}

interface Layer {
  match(path: string): boolean;
  route?: ExpressRoute['route'];
}

export function routesOf(express: unknown): ExpressRoute[] {
  const { router } = express as { router: { stack: Layer[] } };
  return router.stack.flatMap((layer) =>
    layer.route === undefined ? [] : [{ route: layer.route, matches: (path) => layer.match(path) }],
  );
}

const ROOT = '/api';
const API = `${ROOT}/`;
const OPERATORS = `${API}operator/`;
/** Provider notifications are frequent, and no user asks about them. */
const PROVIDERS = `${API}v1/providers/`;

/** Replaces paths without a route, which may contain anything. */
export const NO_ROUTE = '*';

/** Excludes reads by operators: the dashboard polls every few seconds. */
export function isInHistory(method: string, url: string): boolean {
  if (!url.startsWith(API) || url.startsWith(PROVIDERS)) return false;
  return !url.startsWith(OPERATORS) || (method !== 'GET' && method !== 'HEAD');
}

/** For example `/api/v1/endUserAccounts/:endUserAccountId`. */
export function fullRouteOf(request: Pick<Request, 'route'>): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' && path.startsWith(API) ? path : NO_ROUTE;
}

export function routeOf(request: Pick<Request, 'route'>): string {
  const route = fullRouteOf(request);
  return route === NO_ROUTE ? route : route.slice(ROOT.length);
}

/** Metrics count the dashboard's pages and files as one route. */
const DASHBOARD = '/dashboard';

/** Registers the routes as label values, so that no text of a caller becomes a label. */
export function registerRoutes(app: NestExpressApplication): void {
  const routes = routesOf(app.getHttpAdapter().getInstance()).map(({ route }) => fullRouteOf({ route }));
  registerLabelValues('http_server_request_duration_seconds', 'http_route', [...routes, DASHBOARD]);
}

/** @param url the original URL: routers shorten `request.url` */
export function routeLabel(request: Pick<Request, 'route'>, url: string): string {
  return request.route === undefined && url.startsWith(DASHBOARD) ? DASHBOARD : fullRouteOf(request);
}
