export { retryUntilReady, type RetryOptions } from './boot/retry-until-ready.js';
export { runService } from './boot/run-service.js';
export { CONFIG, ConfigModule } from './config/config.module.js';
export { configurationTable } from './config/setting.js';
export {
  ConfigError,
  isProduction,
  loadConfig,
  type Config,
  type ConfiguredProvider,
  type ProviderConfigs,
} from './config/load-config.js';
export { SETTINGS } from './config/settings.js';
export { HealthModule } from './health/health.module.js';
export { DegradedError, PUBLIC_ROUTE, ReadinessChecks, type ReadinessCheck } from './health/health.controller.js';
export { ServerIsDraining, ServiceState, type ServicePhase } from './health/service-state.js';
export { createLogger, LoggingModule, PROCESS_LOGGER, type LoggingOptions } from './logging/logging.module.js';
export { loggedError, type LoggedError } from './logging/redaction.js';
export { productVersion } from './product-version.js';
export { MetricsPortTaken, serveMetrics } from './metrics/metrics-server.js';
export {
  currentContext,
  requestIdFrom,
  runInContext,
  traceIdFrom,
  type RequestContext,
} from './request-context/request-context.js';
