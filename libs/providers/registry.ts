// Adding a provider takes a folder beside this file, and a line here.
export { GOOGLE } from './google/definition.js';
export { MICROSOFT } from './microsoft/definition.js';
export { APPLE } from './apple/definition.js';
export { CALDAV } from './caldav/definition.js';
export { ICS } from './ics/definition.js';
