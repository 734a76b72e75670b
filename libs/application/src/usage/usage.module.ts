import { Module } from '@nestjs/common';
import { ReadingPlanner } from './reading-planner.js';
import { ReadingPlans } from './reading-plans.js';
import { RequestLedger } from './request-ledger.js';
import { UsageService } from './usage.service.js';

const services = [ReadingPlanner, ReadingPlans, RequestLedger, UsageService];

@Module({ providers: services, exports: services })
export class UsageModule {}
