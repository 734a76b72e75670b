export { actAs } from './actor.js';
export { applicationSettings, OPERATOR_URL, PUBLIC_URL, type SharedClientSettings } from './settings.js';
