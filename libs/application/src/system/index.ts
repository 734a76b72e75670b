export { actAs } from './actor.js';
export { applicationSettings, PUBLIC_URL, type SharedClientSettings } from './settings.js';
