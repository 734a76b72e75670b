export { Pace, turns, Turns } from './turns.js';
