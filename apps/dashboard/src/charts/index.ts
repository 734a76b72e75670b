export { count, milliseconds, seconds, share } from './quantities.js';
export { TimeChart, type TimeChartProps, type TimeSeries, type Tone } from './time-chart.js';
