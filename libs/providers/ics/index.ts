export { icsAdapter, type IcsDeps } from './adapter.js';
