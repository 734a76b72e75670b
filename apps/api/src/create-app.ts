import { RequestMethod, type NestApplicationOptions } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Request, Response } from 'express';
import { Logger as PinoLogger } from 'nestjs-pino';
import { RequestHistoryRecorder } from '#application/operator';
import { PROCESS_LOGGER, ServiceState } from '#platform';
import { counter } from '#platform/telemetry';
import type { ApiSettings } from './api-settings.js';
import { policy } from './auth/rate-limits.js';
import { serveDashboard } from './dashboard/serve-dashboard.js';
import { sendFailure } from './errors/envelope.js';
import { unknownRoute } from './errors/envelope.filter.js';
import { accessLog } from './http/access-log.js';
import { contextOf } from './http/api-context.js';
import { addressOf } from './http/request-span.js';
import { ApiHttpAdapter } from './http/api-http-adapter.js';
import { registerRoutes } from './http/routes.js';
import {
  onlyAt,
  unauthenticatedRequests,
  untrustedProxies,
  whileServing,
  requestContext,
} from './http/early-handlers.js';
import { RequestMeter } from './http/request-meter.js';
import { REQUEST_TIMEOUT_SETTING } from './http/request.decorators.js';
import { securityHeaderFields, securityHeaders } from './http/security-headers.js';
import { OpenApiDocument } from './openapi/openapi-document.js';
import { LoadShedder, overloadResponse, type OverloadSettings } from './overload/load-shedder.js';

const OPERATOR_PATHS = ['/dashboard', '/api/operator'];

const shed = counter('calendar_requests_shed_total');

/** {@link configureApp} reads bodies itself. */
export const APP_OPTIONS: NestApplicationOptions = { bodyParser: false, bufferLogs: true, abortOnError: false };

type RootModule = Parameters<typeof NestFactory.create>[0];

export async function createApp(
  root: RootModule,
  settings: ApiSettings & OverloadSettings,
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(root, httpAdapterOf(settings), APP_OPTIONS);
  app.useLogger(app.get(PinoLogger));
  return configureApp(app, settings);
}

export function httpAdapterOf(settings: ApiSettings & OverloadSettings): ApiHttpAdapter {
  const headers = [...securityHeaderFields(settings.publicUrl), ['ratelimit-policy', policy(settings.rateLimitRps)]];
  const onShed = () => shed.add(1, { reason: 'overload' });
  return new ApiHttpAdapter(new LoadShedder(settings, overloadResponse(headers.flat()), onShed), headers);
}

export async function configureApp(
  app: NestExpressApplication,
  settings: ApiSettings,
): Promise<NestExpressApplication> {
  const state = app.get(ServiceState);
  const adapter: unknown = app.getHttpAdapter();
  if (!(adapter instanceof ApiHttpAdapter)) throw new TypeError('the API answers by its own adapter');
  state.onLeaving(() => adapter.endConnections());
  app.disable('x-powered-by');
  // Hashing every response costs more than the rare repeated reads save. Events have version tags of their own.
  app.disable('etag');
  app.set('query parser', 'simple');
  app.set('trust proxy', settings.trustProxy);
  app.set(REQUEST_TIMEOUT_SETTING, settings.requestTimeoutMs);
  const address = addressOf(settings.publicUrl);
  const meter = new RequestMeter(app.get(RequestHistoryRecorder), address['url.scheme']);
  app.use(requestContext(meter, address), accessLog(app.get(PROCESS_LOGGER)), whileServing(state));
  if (settings.trustProxy === 0) app.use(untrustedProxies());
  app.use(securityHeaders(settings.publicUrl), unauthenticatedRequests(settings.rateLimitRps));
  if (settings.operatorUrl != null) app.use(OPERATOR_PATHS, onlyAt(settings.operatorUrl));
  if (settings.operatorUrl !== null) app.use('/dashboard', serveDashboard());
  app.setGlobalPrefix('api', { exclude: [{ path: 'health/{*probe}', method: RequestMethod.ALL }] });
  await app.init();
  registerRoutes(app);
  for (const document of app.get(OpenApiDocument, { strict: false, each: true })) document.describe(app);
  // Nest responds to unknown paths below its prefix; Express would send its HTML page for others.
  app.use((request: Request, response: Response) => {
    sendFailure(response, unknownRoute(request, response), contextOf(request).requestId);
  });
  return app;
}
