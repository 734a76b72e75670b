export { ConnectLinksService, type OpenedConnectLink } from './connect-links.service.js';
