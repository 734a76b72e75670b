export * from './authorization-server.js';
export * from './sign-in.js';
