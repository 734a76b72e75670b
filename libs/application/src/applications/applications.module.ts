import { Module } from '@nestjs/common';
import { RedirectUrlsService } from '../oauth/redirect-urls.service.js';
import { ApiKeysService } from './api-keys.service.js';
import { ApplicationsService } from './applications.service.js';

const services = [ApiKeysService, ApplicationsService, RedirectUrlsService];

@Module({ providers: services, exports: services })
export class ApplicationsModule {}
