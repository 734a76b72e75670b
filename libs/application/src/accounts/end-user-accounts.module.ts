import { Module } from '@nestjs/common';
import { TokensModule } from '../tokens/tokens.module.js';
import { AccountsModule } from './accounts.module.js';
import { AccountsService } from './accounts.service.js';

/** What applications do with their accounts. */
@Module({ imports: [AccountsModule, TokensModule], providers: [AccountsService], exports: [AccountsService] })
export class EndUserAccountsModule {}
