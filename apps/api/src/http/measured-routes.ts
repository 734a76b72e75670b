import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request } from 'express';
import { tellValues } from '#platform/telemetry';
import { routesOf } from './express-routes.js';
import { fullRouteOf } from './recorded-routes.js';

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
