import { DEMO_CLIENT as GOOGLE } from './google/demo-client.js';
import { DEMO_CLIENT as MICROSOFT } from './microsoft/demo-client.js';

/** With what the demo application signs its users in at the simulated providers, which paths name like this. */
export const DEMO_CLIENTS = { google: GOOGLE, microsoft: MICROSOFT } as const;
