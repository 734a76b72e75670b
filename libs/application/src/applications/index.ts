export { ApplicationsModule } from './applications.module.js';
export { ApiKeysService, type ApiKeyView, type CreateApiKey, type VerifiedKey } from './api-keys.service.js';
export { ApplicationDeletion } from './application-deletion.js';
export { ApplicationsService, type CountedApplicationView } from './applications.service.js';
