/** What `npm start` leaves for other programs: its data, its addresses and its processes. */
export * from './data-directory.js';
export * from './process-identity.js';
