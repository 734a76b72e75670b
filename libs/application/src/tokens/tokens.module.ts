import { Module } from '@nestjs/common';
import { SealedTokens } from './sealed-tokens.js';

@Module({ providers: [SealedTokens], exports: [SealedTokens] })
export class TokensModule {}
