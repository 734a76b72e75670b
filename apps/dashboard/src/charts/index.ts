export { count, milliseconds, seconds, share } from './quantities.js';
export { TimeChart, type TimeChartProps, type TimeSeries, type SeriesTone } from './time-chart.js';
