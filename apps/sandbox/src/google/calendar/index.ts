import type { CalendarApi, CalendarApiHost } from '../contract.js';
import { SandboxCalendarApi } from './calendar-api.js';

export function createCalendarApi(host: CalendarApiHost): CalendarApi {
  return new SandboxCalendarApi(host);
}
