export { icsAdapter, type ConnectFeed, type IcsAdapter, type IcsDeps } from './adapter.js';
