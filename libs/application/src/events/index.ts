export type { EventBody } from './event-input.js';
export type { EventQueryParameters } from './event-query.js';
export { EventsModule } from './events.module.js';
export { EventsService } from './events.service.js';
