export { FreeBusyService, type FreeBusyBody } from './free-busy.service.js';
