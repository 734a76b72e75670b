export { Pace } from './pace.js';
export { turns, Turns } from './turns.js';
