import prometheus, { type OpenMetricsContentType } from 'prom-client';

/** Of this process. Of both formats only this one has exemplars. */
export const registry = new prometheus.Registry<OpenMetricsContentType>();
registry.setContentType(prometheus.Registry.OPENMETRICS_CONTENT_TYPE);
