export { patiently, type Patience } from './boot/patiently.js';
export { onEndSignals } from './boot/signals.js';
export { waitLine } from './boot/wait-line.js';
export { CONFIG, ConfigModule } from './config/config.module.js';
export { configurationTable } from './config/configuration-table.js';
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
export { PUBLIC_ROUTE } from './health/health.controller.js';
export { Impairment, ReadinessChecks, type ReadinessCheck } from './health/readiness-checks.js';
export { ServerIsDraining, ServiceState, type ServicePhase } from './health/service-state.js';
export { createLogger, LoggingModule, type LoggingOptions } from './logging/logging.module.js';
export { RequestLog, type RequestRecord } from './logging/request-log.js';
export { loggedError, type LoggedError } from './logging/redaction.js';
export { productVersion } from './product-version.js';
export { MetricsPortTaken, MetricsServer } from './metrics/metrics-server.js';
export { serveMetrics } from './metrics/serve-metrics.js';
export { currentContext, runInContext, type RequestContext } from './request-context/request-context.js';
export { requestIdFrom, traceIdFrom } from './request-context/request-id.js';
