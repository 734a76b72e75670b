export { CalendarsModule } from './calendars.module.js';
export { CalendarsService } from './calendars.service.js';
