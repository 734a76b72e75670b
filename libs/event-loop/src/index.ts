export { turns, Turns } from './turns.js';
