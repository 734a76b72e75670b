export { count, milliseconds, seconds, share } from './quantities.js';
export { TimeFigure, type TimeFigureProps, type TimeSeries, type Tone } from './time-figure.js';
